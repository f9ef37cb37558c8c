import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { BACKLOG_COUNT_LIMIT } from "../../../../src/jobs/backlog-statements.ts"
import {
  backlogAge,
  backlogDue,
  callDuration,
  calls,
  MAX_SERIES,
  METRIC_DEFINITIONS
} from "../../../../src/platform/telemetry/metrics/metric-definitions.ts"
import type { MetricDefinition } from "../../../../src/platform/telemetry/metrics/metric-family.ts"
import { toPrometheusName } from "../../../../src/platform/telemetry/metrics/prometheus-format.ts"
import { consoleOperations } from "../../../../src/service/Api.ts"
import { BACKLOG_KINDS, BACKLOG_POLL_MS } from "../../../../src/service/backlog.ts"
import { describeOperations } from "../../../../src/transports/docs/operation-descriptions.ts"
import { markdownTable } from "../../../../src/transports/docs/site/operation-page.ts"
import { assertGeneratedPart } from "../../../support/generated-page.ts"

/** Series that a metric has at the most: of a histogram its buckets, that without a bound, its sum and its count. */
const countMaxSeries = ({ maxLabelSets, bounds }: MetricDefinition): number =>
  maxLabelSets * (bounds === undefined ? 1 : bounds.length + 3)

const labelName = (label: string) => label.replaceAll(".", "_")

const rows = METRIC_DEFINITIONS.map((declared) => {
  const { kind, labels, aggregation, meaning } = declared
  const labelNames = labels.map((label) => `\`${labelName(label)}\``).join(", ")
  return [`\`${toPrometheusName(declared)}\``, kind, labelNames, aggregation ?? "added", meaning]
})

describe("the table of metrics", () => {
  it("has names that differ, in both ways out", () => {
    assert.strictEqual(new Set(METRIC_DEFINITIONS.map(({ name }) => name)).size, METRIC_DEFINITIONS.length)
    assert.strictEqual(new Set(METRIC_DEFINITIONS.map(toPrometheusName)).size, METRIC_DEFINITIONS.length)
    for (const declared of METRIC_DEFINITIONS) assert.match(toPrometheusName(declared), /^[a-z][a-z0-9_]*$/)
  })

  it("names them as OpenTelemetry's rules have it", () => {
    const name = (name: string, unit: string, kind: "counter" | "gauge") => toPrometheusName({ name, unit, kind })
    assert.strictEqual(name("a.b", "s", "gauge"), "a_b_seconds")
    assert.strictEqual(name("a.b", "By", "gauge"), "a_b_bytes")
    assert.strictEqual(name("a.b", "1", "gauge"), "a_b_ratio")
    assert.strictEqual(name("a.b", "{x}", "counter"), "a_b_total")
    assert.strictEqual(name("a.b", "s", "counter"), "a_b_seconds_total")
    assert.strictEqual(name("a_total", "", "counter"), "a_total")
  })

  it(`is ${MAX_SERIES} series together at the most`, () => {
    assert.isAtMost(
      METRIC_DEFINITIONS.reduce((all, each) => all + countMaxSeries(each), 0),
      MAX_SERIES
    )
  })

  it("has room for every operation with every error_code it can answer with, and for what reached none", () => {
    const operations = describeOperations()
    // One for what reached no operation, one for all beyond.
    assert.isAtMost(operations.length + consoleOperations.length + 2, callDuration.definition.maxLabelSets)
    const answers = operations.reduce((all, { errors }) => all + errors.length + 1, 0)
    const OF_NO_OPERATION = 14
    assert.isAtMost(answers + OF_NO_OPERATION + 1, calls.definition.maxLabelSets)
    assert.isAtMost(
      BACKLOG_KINDS.length + 1,
      Math.min(backlogDue.definition.maxLabelSets, backlogAge.definition.maxLabelSets)
    )
  })

  it("is in the reference (write it with UPDATE_DOCS=1)", () => {
    assertGeneratedPart(
      "reference/metrics.md",
      "metrics",
      markdownTable(["name", "kind", "labels", "over processes", "meaning"], rows)
    )
  })

  it("has the numbers that the reference names", () => {
    const text = readFileSync(join(import.meta.dirname, "../../../../docs/reference/metrics.md"), "utf8")
    assert.include(text, `${BACKLOG_COUNT_LIMIT.toLocaleString("en")} jobs`)
    assert.include(text, `every ${BACKLOG_POLL_MS / 1000} seconds`)
    assert.include(text, `${MAX_SERIES.toLocaleString("en")} series`)
  })
})
