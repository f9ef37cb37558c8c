import { existsSync } from "node:fs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { lacksDatabase } from "../../platform/database/inspect-folder.ts"
import type { Migration } from "../../platform/database/migration.ts"
import type { Settings } from "../../service/configuration.ts"
import { direct } from "./direct.ts"
import { type Finding, fine } from "./finding.ts"
import { collector, database, databaseInTime, disk, ownAddress, redis } from "./look.ts"
import { nodeFinding } from "./rules.ts"
import { settingsFindings } from "./settings.ts"

/** Everything that is looked at, side by side; `on` gives work its database, which may not be there. */
export const examine = Effect.fnUntraced(function* <E, R>(
  settings: Settings,
  release: string,
  migrations: ReadonlyArray<Migration>,
  on: (work: Effect.Effect<ReadonlyArray<Finding>, never, SqlClient>) => Effect.Effect<ReadonlyArray<Finding>, E, R>
) {
  const { databaseUrl, dataDir, imageStore } = settings
  const isEmbedded = databaseUrl === undefined
  // To look into a folder that has none would make a database in it.
  const isMade = !isEmbedded || !(yield* lacksDatabase(dataDir))
  const looked = isMade
    ? databaseInTime(on(database(settings, migrations)))
    : Effect.succeed([fine("database", "DATA_DIR has none yet: latchkey serve creates it")])
  const found = yield* Effect.all(
    [
      looked,
      direct(settings),
      redis(settings),
      collector(settings),
      ownAddress(settings),
      ...(isEmbedded && existsSync(dataDir) ? [disk("DATA_DIR", dataDir)] : []),
      ...(imageStore === undefined ? [] : [disk("IMAGE_STORE", imageStore)])
    ],
    { concurrency: "unbounded" }
  )
  return [
    ...settingsFindings(settings),
    fine("version of Latchkey", release),
    nodeFinding(process.version),
    ...found.flat()
  ]
})
