// Asks the registry for known faults of the packages that the service runs with. Prints one line that begins with "no known faults",
// "known faults:" or "not audited:", and ends with status 1 at a fault that is high or critical. A registry that gives no audit is no
// fault of the packages: the status is 0 then, and the line says that nothing was audited.
import { spawnSync } from "node:child_process"

const LEVELS = ["info", "low", "moderate", "high", "critical"]
const LIMIT_MS = Number(process.env.AUDIT_LIMIT_MS ?? 120_000)

const { stdout, stderr, error } = spawnSync("npm", ["audit", "--omit=dev", "--audit-level=high", "--json"], {
  encoding: "utf8",
  timeout: LIMIT_MS,
  maxBuffer: 64 * 1024 * 1024
})

const report = (() => {
  try {
    return JSON.parse(stdout)
  } catch {
    return undefined
  }
})()

const counts = report?.metadata?.vulnerabilities
const isAudit = LEVELS.every((level) => Number.isSafeInteger(counts?.[level]) && counts[level] >= 0)

/** Returns why there is no audit, in one line. */
const explain = () => {
  if (error?.code === "ETIMEDOUT") return `npm audit did not end within ${LIMIT_MS / 1000} seconds`
  if (error !== undefined) return `npm audit failed: ${error.message}`
  const message = report?.message ?? report?.error?.summary ?? stderr.split("\n").find((line) => line.trim() !== "")
  if (typeof message === "string" && message.trim() !== "") return message.trim().replaceAll(/\s*\n\s*/g, " ")
  return report === undefined ? "npm audit did not print JSON" : "the answer of npm audit has no count of faults"
}

if (!isAudit) console.log(`not audited: ${explain()}`)
else if (LEVELS.every((level) => counts[level] === 0)) console.log("no known faults")
else {
  console.log(`known faults: ${LEVELS.map((level) => `${level} ${counts[level]}`).join(", ")}`)
  if (counts.high + counts.critical > 0) {
    console.log(stdout)
    process.exitCode = 1
  }
}
