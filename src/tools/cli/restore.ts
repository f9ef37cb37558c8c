import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { SqlClient } from "effect/sql/SqlClient"
import { migrations } from "../../../migrations/index.ts"
import packageJson from "../../../package.json" with { type: "json" }
import { describeDatabaseUrl } from "../../platform/database/database-url.ts"
import { Configuration } from "../../service/configuration.ts"
import { loadBackup, resolveMigrations } from "../backup/backup-loader.ts"
import { openBackup } from "../backup/backup-reader.ts"
import { openImageStore, withTargetDatabase } from "../backup/installation-database.ts"
import { formatImageCounts } from "./backup.ts"
import { runStandaloneCommand } from "./command-runner.ts"

const restoreBackup = Effect.fnUntraced(function* (file: string) {
  const startedAt = performance.now()
  const settings = yield* Configuration
  const { header, forEachPiece } = yield* openBackup(file)
  const release = { latchkey: packageJson.version, migrations }
  yield* resolveMigrations(header, release)
  const restoration = Effect.gen(function* () {
    const images = openImageStore(settings, yield* SqlClient)
    const name = settings.databaseUrl === undefined ? "DATA_DIR" : "DATABASE_URL"
    return yield* loadBackup(header, { ...release, name, images }, forEachPiece)
  })
  const loadResult = yield* withTargetDatabase(settings, restoration)
  const seconds = Math.round(performance.now() - startedAt) / 1_000
  const into = settings.databaseUrl === undefined ? settings.dataDir : describeDatabaseUrl(settings.databaseUrl)
  return { file, into, made_at: header.made_at, made_by: header.latchkey, ...loadResult, seconds }
}, Effect.scoped)

export const restoreCommand = Command.make(
  "restore",
  { file: Argument.String("file").pipe(Argument.withDescription("File that latchkey backup wrote")) },
  ({ file }) =>
    runStandaloneCommand(restoreBackup(file), (result) =>
      [
        `${result.file} of ${result.made_at}: ${result.rows} rows of ${result.tables} tables and ${formatImageCounts(result)} restored to ${result.into} in ${result.seconds} s. Row count and digest of each table match.`,
        ...result.passed_over.map((table) => `Skipped ${table}: it is not a table of Latchkey.`)
      ].join("\n")
    )
).pipe(Command.withDescription("Load a backup into an empty database or an empty data folder"))
