import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { migrations } from "../../../migrations/index.ts"
import packageJson from "../../../package.json" with { type: "json" }
import { layerCommandDatabase } from "../../platform/database/choose.ts"
import { Configuration } from "../../service/configuration.ts"
import { examine } from "../doctor/examine.ts"
import type { Finding } from "../doctor/finding.ts"
import { settingsShown } from "../doctor/shown.ts"
import { layerSettings } from "./answer.ts"
import { Refused } from "./failure.ts"
import { Json, reporting } from "./reporting.ts"

const MARKS: Record<Finding["is"], string> = {
  fine: "ok     ",
  warning: "warning",
  wrong: "WRONG  ",
  unsure: "?      "
}

const lineOf = ({ is, check, found, advice }: Finding): string =>
  `${MARKS[is]}  ${check}: ${found}${advice === undefined ? "" : `\n           → ${advice}`}`

const work = Effect.gen(function* () {
  const settings = yield* Configuration
  const findings = yield* examine(settings, packageJson.version, migrations, (looking) =>
    Effect.provide(looking, layerCommandDatabase)
  )
  return { settings: settingsShown(process.env), findings }
}).pipe(Effect.provide(layerSettings))

export const doctor = Command.make("doctor", {}, () =>
  Effect.gen(function* () {
    const found = yield* reporting(work)
    const isWrong = found.findings.some(({ is }) => is === "wrong")
    const lines = [
      ...found.settings.map(({ variable, value, from }) =>
        from === "set" ? `${variable}=${value}` : `${variable}  (default)`
      ),
      "",
      ...found.findings.map(lineOf)
    ]
    yield* Console.log((yield* Json) ? JSON.stringify({ ...found, wrong: isWrong }) : lines.join("\n"))
    if (isWrong) return yield* new Refused()
  })
).pipe(
  Command.withDescription("Check settings, database, Redis, disks, clocks and queues; exits with 1 if a check fails")
)
