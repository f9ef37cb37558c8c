import { Effect } from "effect"
import { Command } from "effect/cli"
import { migrations } from "../../../migrations/index.ts"
import { migrate as applyMigrations } from "../../platform/database/migrate.ts"
import { runUnmigratedCommand } from "./command-runner.ts"

export const migrateCommand = Command.make("migrate", {}, () =>
  runUnmigratedCommand(
    Effect.map(applyMigrations(migrations), (applied) => ({ applied })),
    ({ applied }) => (applied.length === 0 ? "The database is up to date." : `Applied ${applied.join(", ")}.`)
  )
).pipe(Command.withDescription("Migrate the database to this release"))
