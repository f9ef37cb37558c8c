// Asks the registry for known faults of what the service runs with, and fails at a high one. A registry that does not answer is
// no fault of the packages: that is said, and passed over.
import { spawnSync } from "node:child_process"

const { stdout, stderr } = spawnSync("npm", ["audit", "--omit=dev", "--audit-level=high", "--json"], {
  encoding: "utf8",
  timeout: 120_000
})

const report = (() => {
  try {
    return JSON.parse(stdout)
  } catch {
    return undefined
  }
})()

const found = report?.metadata?.vulnerabilities
if (found === undefined) {
  const why = report?.message ?? report?.error?.summary ?? stderr.split("\n").find((line) => line !== "")
  console.log(`skipped: the registry gives no audit: ${why ?? "it did not answer within two minutes"}`)
} else {
  console.log(
    `found: ${Object.entries(found)
      .map(([level, count]) => `${level} ${count}`)
      .join(", ")}`
  )
  if (found.high + found.critical > 0) {
    console.log(stdout)
    process.exitCode = 1
  }
}
