import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { migrations } from "../../../migrations/index.ts"
import packageJson from "../../../package.json" with { type: "json" }
import { layerCommandDatabase } from "../../platform/database/database-layers.ts"
import { Configuration } from "../../service/configuration.ts"
import { collectFindings } from "../doctor/collect-findings.ts"
import type { Finding } from "../doctor/finding.ts"
import { listSettings } from "../doctor/setting-views.ts"
import { CommandFailed } from "./command-failure.ts"
import { JsonFlag, reportFailure } from "./command-output.ts"
import { layerCommandSettings } from "./command-runner.ts"

const STATUS_MARKS: Record<Finding["is"], string> = {
  fine: "ok     ",
  warning: "warning",
  wrong: "WRONG  ",
  unsure: "?      "
}

const formatFinding = ({ is, check, found, advice }: Finding): string =>
  `${STATUS_MARKS[is]}  ${check}: ${found}${advice === undefined ? "" : `\n           → ${advice}`}`

const runDoctor = Effect.gen(function* () {
  const settings = yield* Configuration
  const findings = yield* collectFindings(settings, packageJson.version, migrations, (databaseCheck) =>
    Effect.provide(databaseCheck, layerCommandDatabase)
  )
  return { settings: listSettings(process.env), findings }
}).pipe(Effect.provide(layerCommandSettings))

export const doctorCommand = Command.make("doctor", {}, () =>
  Effect.gen(function* () {
    const report = yield* reportFailure(runDoctor)
    const hasProblem = report.findings.some(({ is }) => is === "wrong")
    const lines = [
      ...report.settings.map(({ variable, value, from }) =>
        from === "set" ? `${variable}=${value}` : `${variable}  (default)`
      ),
      "",
      ...report.findings.map(formatFinding)
    ]
    yield* Console.log((yield* JsonFlag) ? JSON.stringify({ ...report, wrong: hasProblem }) : lines.join("\n"))
    if (hasProblem) return yield* new CommandFailed()
  })
).pipe(
  Command.withDescription("Check settings, database, Redis, disks, clocks and queues; exits with 1 if a check fails")
)
