import Testing

@testable import Reports

@Suite struct MarkdownReportTests {
    @Test func the_file_reads_as_specified() {
        var report = HistogramLogTests.sample()
        report.notes.append("a | b_c\nd")
        #expect(
            MarkdownReport.text(report) == #"""
                # rig demo

                loopback, seed 42, 10.2 s, 300 msg/s (open loop), rig 0.1.0, \#
                2023-11-14T22:13:20.123Z

                **3 of 7 need attention; 2 not built.** Exit code 2.

                ## Watch link

                | Metric | Device | Target | Max | Actual | Status |
                | --- | --- | --- | --- | --- | --- |
                | phone-watch sync, one change p99 | both | \<= 1000 ms | 3000 ms | \#
                412 ms (n=1200) | \#
                PASS, not durable yet |
                | data sync, list of 50 | both | \<= 500 ms | 2000 ms | 700 ms (n=50) | WARN, \#
                not durable yet |
                | message delivery p99 | both | \<= 200 ms | 1000 ms | \#
                - (n=7 of 1000 needed) | TOO FEW |
                | complication update p99 | both | \<= 100 ms | 500 ms | \#
                612 ms (n=1200) | **FAIL** |
                | 50 items on the wire | link | \<= 1 MB | - | - (n=3 of 50 needed) | TOO FEW |
                | delivered exactly once | both | 100 % | - | 99.99 % (1 lost) | **FAIL** |
                | sync stress, rate | both | - | - | 5123 /s (n=100) | - |
                | sync push, idle link, worst | both | \<= 500 ms | - | - | \#
                **NODATA**, not durable yet |
                | background sync task, one core | watch | \<= 80 % | - | - | not built |

                ## Phone and watch internals

                | Metric | Device | Target | Max | Actual | Status |
                | --- | --- | --- | --- | --- | --- |
                | imagined metric p99 | both | \<= 3 ms | 10 ms | - | not built |

                ## Latency

                | ms | n | p50 | p90 | p99 | p99.9 | max | worst |
                | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |
                | sync | 1200 | 24.9 | 44.8 | 49.3 | (few) | 49.8 | medication 1200 at 3.96 s |
                | push | 1 | (few) | (few) | (few) | (few) | 0.052 | medication 7 at 0.01 s |
                | sync, durable | 1 | (few) | (few) | (few) | (few) | 18446744073709.55 | \#
                a at 0.00 s |

                Latency counts from the intended send time.

                ## Notes

                - the link is UNSEALED
                - a \| b\_c d

                ## Repeat

                    rig demo --seed 42

                """#)
    }

    @Test func an_early_end_is_said() {
        var report = ReportTests.sample()
        report.isComplete = false
        let text = MarkdownReport.text(report)
        let line = "**INCOMPLETE**: the run ended early; what was measured is here."
        #expect(text.contains("\n\(line)\n"))
        #expect(text.contains("Exit code 130."))
    }

    @Test func markdown_in_names_stays_text() {
        #expect(
            MarkdownReport.escaped("a|b\\c `d` *e* <f> [g]\n h\t#i &amp; ~j~ $k$")
                == ##"a\|b\\c \`d\` \*e\* \<f\> \[g\] h \#i \&amp; \~j\~ \$k\$"##)
    }
}
