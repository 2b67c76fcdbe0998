import Testing

@testable import FormerCore

@Suite struct PartitioningIndexTests {
    /// Every length to 40 with the border at every place, against the plain search.
    @Test func it_is_the_first_element_that_belongs_behind() {
        for count in 0...40 {
            let numbers = Array(0..<count)
            for border in 0...count {
                let plain = numbers.firstIndex { $0 >= border } ?? count
                #expect(numbers.partitioningIndex { $0 >= border } == plain)
            }
        }
    }

    @Test func among_equal_elements_it_is_the_first_or_the_one_behind_the_last() {
        let numbers = [1, 3, 3, 3, 3, 5]
        #expect(numbers.partitioningIndex { $0 >= 3 } == 1)
        #expect(numbers.partitioningIndex { $0 > 3 } == 5)
    }

    @Test func it_asks_about_few() {
        var questions = 0
        let index = Array(0..<100_000).partitioningIndex { number in
            questions += 1
            return number >= 77_777
        }
        #expect(index == 77_777)
        #expect(questions <= 17)
    }
}
