import { spawnSync } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const AUDIT = join(import.meta.dirname, "../../.ci/audit.mjs")

/** Runs the audit with a script in place of npm. Without a script, npm is missing. */
const audit = (npm: string | undefined, env: Record<string, string> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-audit-"))
  try {
    if (npm !== undefined) {
      writeFileSync(join(folder, "npm"), `#!${process.execPath}\n${npm}`)
      chmodSync(join(folder, "npm"), 0o755)
    }
    const PATH = npm === undefined ? folder : `${folder}:${dirname(process.execPath)}`
    const { status, stdout } = spawnSync(process.execPath, [AUDIT], { encoding: "utf8", env: { PATH, ...env } })
    return { status, line: stdout.split("\n")[0] ?? "", stdout }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const prints = (answer: unknown, status = 0) =>
  `console.log(${JSON.stringify(JSON.stringify(answer))}); process.exitCode = ${status}`

const NONE = { info: 0, low: 0, moderate: 0, high: 0, critical: 0, total: 0 }
const withFaults = (counts: object) => ({ metadata: { vulnerabilities: { ...NONE, ...counts } } })

describe("the audit of the packages", () => {
  it("reports no known faults only if the registry reports none", () => {
    const { status, line } = audit(prints(withFaults({})))
    assert.deepStrictEqual([status, line], [0, "no known faults"])
  })

  it.each([
    { counts: { moderate: 2 }, status: 0, line: "known faults: info 0, low 0, moderate 2, high 0, critical 0" },
    { counts: { high: 1 }, status: 1, line: "known faults: info 0, low 0, moderate 0, high 1, critical 0" },
    { counts: { critical: 1 }, status: 1, line: "known faults: info 0, low 0, moderate 0, high 0, critical 1" }
  ])("counts faults and fails at a high one: $counts", ({ counts, status, line }) => {
    const ended = audit(prints(withFaults(counts), 1))
    assert.deepStrictEqual([ended.status, ended.line], [status, line])
  })

  it.each([
    {
      what: "an unreachable registry",
      npm: prints({ message: "request to https://registry.test/ failed,\nreason: ENOTFOUND", error: {} }, 1),
      why: "request to https://registry.test/ failed, reason: ENOTFOUND"
    },
    {
      what: "an answer without counts",
      npm: prints({ metadata: {} }),
      why: "the answer of npm audit has no count of faults"
    },
    {
      what: "counts that are no numbers",
      npm: prints({ metadata: { vulnerabilities: { ...NONE, high: "none" } } }),
      why: "the answer of npm audit has no count of faults"
    },
    { what: "no JSON", npm: `console.log("<html>")`, why: "npm audit did not print JSON" },
    { what: "nothing but an error", npm: `console.error("npm error 503")`, why: "npm error 503" }
  ])("says that nothing was audited: $what", ({ npm, why }) => {
    const { status, stdout } = audit(npm)
    assert.deepStrictEqual([status, stdout], [0, `not audited: ${why}\n`])
  })

  it("reports that nothing was audited if npm is missing or does not end", () => {
    const missing = audit(undefined)
    assert.strictEqual(missing.status, 0)
    assert.match(missing.line, /^not audited: npm audit failed: .*ENOENT/)
    const hanging = audit("setInterval(() => {}, 1000)", { AUDIT_LIMIT_MS: "500" })
    assert.deepStrictEqual([hanging.status, hanging.line], [0, "not audited: npm audit did not end within 0.5 seconds"])
  })
})
