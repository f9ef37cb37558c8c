import { existsSync } from "node:fs"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { lacksDatabase } from "../../platform/database/database-state.ts"
import type { Migration } from "../../platform/database/migration.ts"
import type { Settings } from "../../service/configuration.ts"
import {
  checkCollector,
  checkDatabase,
  checkDisk,
  checkMail,
  checkPublicUrl,
  checkRedis,
  runDatabaseCheckWithTimeout
} from "./checks.ts"
import { checkDirectUrl } from "./direct-url-check.ts"
import { type Finding, okFinding } from "./finding.ts"
import { nodeFinding } from "./finding-rules.ts"
import { checkSettings } from "./settings-check.ts"

export const collectFindings = Effect.fnUntraced(function* <E, R>(
  settings: Settings,
  release: string,
  migrations: ReadonlyArray<Migration>,
  withDatabase: (
    work: Effect.Effect<ReadonlyArray<Finding>, never, SqlClient>
  ) => Effect.Effect<ReadonlyArray<Finding>, E, R>
) {
  const { databaseUrl, dataDir, imageStore } = settings
  const isEmbedded = databaseUrl === undefined
  // Opening an empty folder would create a database.
  const hasDatabase = !isEmbedded || !(yield* lacksDatabase(dataDir))
  const databaseFindings = hasDatabase
    ? runDatabaseCheckWithTimeout(withDatabase(checkDatabase(settings, migrations)))
    : Effect.succeed([okFinding("database", "DATA_DIR has none yet: latchkey serve creates it")])
  const findings = yield* Effect.all(
    [
      databaseFindings,
      checkDirectUrl(settings),
      checkRedis(settings),
      checkCollector(settings),
      checkPublicUrl(settings),
      checkMail(settings),
      ...(isEmbedded && existsSync(dataDir) ? [checkDisk("DATA_DIR", dataDir)] : []),
      ...(imageStore === undefined ? [] : [checkDisk("IMAGE_STORE", imageStore)])
    ],
    { concurrency: "unbounded" }
  )
  return [
    ...checkSettings(settings),
    okFinding("version of Latchkey", release),
    nodeFinding(process.version),
    ...findings.flat()
  ]
})
