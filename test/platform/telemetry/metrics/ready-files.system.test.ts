import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { METRIC_DEFINITIONS } from "../../../../src/platform/telemetry/metrics/metric-definitions.ts"
import { toPrometheusName } from "../../../../src/platform/telemetry/metrics/prometheus-format.ts"

// What is handed over for Prometheus and Grafana, held to what there is.

const ROOT = join(import.meta.dirname, "../../../..")
const read = (path: string) => readFileSync(join(ROOT, path), "utf8")

const alerts = read("deploy/prometheus/alerts.yml")
const onCall = read("docs/operate/monitor.md")

/** Each alert as its lines stand: `name: value`, without quotes. */
const rules = alerts
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => {
    const field = (name: string) =>
      new RegExp(`^ +${name}: (.*)$`, "m").exec(text)?.[1]?.replace(/^'(.*)'$/, "$1") ?? ""
    return {
      name: text.split("\n", 1)[0] ?? "",
      expr: field("expr").replaceAll("''", "'"),
      for: field("for"),
      severity: field("severity"),
      summary: field("summary"),
      do: field("do"),
      page: field("page")
    }
  })

const Panels = Schema.Struct({
  panels: Schema.Array(
    Schema.Struct({
      type: Schema.String,
      title: Schema.String,
      targets: Schema.optionalKey(Schema.Array(Schema.Struct({ expr: Schema.String })))
    })
  )
})
const dashboard = Schema.decodeUnknownSync(Panels)(JSON.parse(read("deploy/grafana/latchkey-dashboard.json")))
const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

const known = new Set(
  METRIC_DEFINITIONS.flatMap((declared) => {
    const name = toPrometheusName(declared)
    return declared.kind === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
  })
)
const labels = new Set(METRIC_DEFINITIONS.flatMap((each) => each.labels.map((label) => label.replaceAll(".", "_"))))
const ADDED_BY_PROMETHEUS = ["instance", "job", "le"]

/** Names of metrics that an expression asks for. */
const metricsOf = (expr: string): ReadonlyArray<string> =>
  Array.from(expr.matchAll(/\b(?:latchkey|http|db|process|v8js|nodejs)_[a-z0-9_]+/g), ([name]) => name)

const labelsOf = (expr: string): ReadonlyArray<string> => [
  ...Array.from(expr.matchAll(/([a-z_]+)\s*(?:=~|!=|!~|=)\s*"/g), ([, label = ""]) => label),
  ...Array.from(expr.matchAll(/by \(([a-z_, ]+)\)/g), ([, list = ""]) =>
    list.split(",").map((each) => each.trim())
  ).flat()
]

describe("alert rules and dashboard", () => {
  it("ask for metrics and labels that there are", () => {
    assert.isAbove(rules.length, 10)
    assert.isAbove(shown.length, 30)
    for (const expr of [...rules.map(({ expr }) => expr), ...shown]) {
      const asked = metricsOf(expr)
      if (!expr.startsWith("up{")) assert.isAbove(asked.length, 0, expr)
      for (const name of asked) assert.isTrue(known.has(name), `${name} in ${expr}`)
      for (const label of labelsOf(expr)) {
        assert.isTrue(labels.has(label) || ADDED_BY_PROMETHEUS.includes(label), `${label} in ${expr}`)
      }
    }
  })

  it("the dashboard leaves out no metric", () => {
    const asked = new Set(shown.flatMap(metricsOf))
    for (const declared of METRIC_DEFINITIONS) {
      const name = toPrometheusName(declared)
      const names = declared.kind === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
      assert.isTrue(
        names.some((each) => asked.has(each)),
        name
      )
    }
  })

  for (const rule of rules) {
    it(`${rule.name} has all that a person needs, and its section of docs/operate/monitor.md`, () => {
      assert.match(rule.for, /^\d+[smh]$/)
      assert.include(["critical", "warning", "info"], rule.severity)
      assert.isAbove(rule.summary.length, 20)
      assert.isAbove(rule.do.length, 20)
      assert.strictEqual(rule.page, `docs/operate/monitor.md#${rule.name.toLowerCase()}`)
      const section = onCall.split(`\n## ${rule.name}\n`)[1]?.split("\n## ", 1)[0] ?? ""
      for (const part of ["**Symptom.** ", "**Look at.** ", "**Do.** "]) assert.include(section, part)
    })
  }

  it("docs/operate/monitor.md has no section of an alert that is not", () => {
    const sections = Array.from(onCall.matchAll(/^## (Latchkey\S+)$/gm), ([, name]) => name)
    assert.deepStrictEqual(
      sections,
      rules.map(({ name }) => name)
    )
  })

  const promtool = (...args: ReadonlyArray<string>) =>
    spawnSync("promtool", args, { cwd: join(ROOT, "deploy/prometheus"), encoding: "utf8" })
  const isThere = promtool("--version").status === 0

  it("promtool finds them valid, each firing above its threshold and quiet at it", (test) => {
    if (!isThere) test.skip("skipped: promtool is not installed (Debian: apt-get install prometheus)")
    for (const args of [
      ["check", "rules", "alerts.yml"],
      ["check", "config", "prometheus.yml"],
      ["test", "rules", "alerts.test.yml"]
    ]) {
      const { status, stdout, stderr } = promtool(...args)
      assert.strictEqual(status, 0, `${args.join(" ")}: ${stdout}${stderr}`)
    }
    for (const { name } of rules) {
      for (const which of ["fires", "quiet"]) {
        assert.include(read("deploy/prometheus/alerts.test.yml"), `- name: ${name} ${which}\n`)
      }
    }
  })
})
