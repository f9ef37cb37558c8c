import { Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { migrations } from "../../../migrations/index.ts"
import packageJson from "../../../package.json" with { type: "json" }
import { DATABASE_URL_DESCRIPTION, isDatabaseUrl } from "../../platform/database/database-url.ts"
import { Configuration } from "../../service/configuration.ts"
import { abortMove, MoveFailed, moveToServer as moveTo } from "../backup/server-move.ts"
import { formatImageCounts } from "./backup.ts"
import { DatabaseUnreachable, isDatabaseUnreachable } from "./command-failure.ts"
import { runStandaloneCommand } from "./command-runner.ts"

const parseTargetAddress = (target: Redacted.Redacted): Effect.Effect<Redacted.Redacted, MoveFailed> =>
  isDatabaseUrl(Redacted.value(target))
    ? Effect.succeed(target)
    : new MoveFailed({ message: `--to: must be ${DATABASE_URL_DESCRIPTION}` })

const runMove = Effect.fnUntraced(function* (target: Redacted.Redacted) {
  const { dataDir, imageStore } = yield* Configuration
  const targetUrl = yield* parseTargetAddress(target)
  const startedAt = performance.now()
  const result = yield* Effect.catchCauseIf(
    moveTo({ dataDir, imageStore, targetUrl, latchkey: packageJson.version, migrations }),
    isDatabaseUnreachable,
    (cause) => Effect.fail(new DatabaseUnreachable({ location: "--to", cause }))
  )
  return { ...result, seconds: Math.round(performance.now() - startedAt) / 1_000 }
})

const runAbortMove = Effect.gen(function* () {
  const { dataDir } = yield* Configuration
  const { state, to } = yield* abortMove(dataDir)
  return { data_dir: dataDir, was: state, to }
})

const requireEmbeddedDatabase = Effect.flatMap(Configuration, ({ databaseUrl }) =>
  databaseUrl === undefined
    ? Effect.void
    : new MoveFailed({
        message: "DATABASE_URL: must be unset, because latchkey move copies the embedded database in DATA_DIR"
      })
)

type MoveOutput = Effect.Success<ReturnType<typeof runMove>> | Effect.Success<typeof runAbortMove>

const formatMove = (result: MoveOutput): string => {
  if ("was" in result) {
    const copyAdvice = result.was === "copying" ? "" : ` Drop the copy at ${result.to} so that nobody uses it.`
    return `The database in ${result.data_dir} is writable again.${copyAdvice}`
  }
  const summary = result.finished
    ? "An earlier command finished the move: each table is the same on the server."
    : `${result.rows} rows of ${result.tables} tables and ${formatImageCounts(result)} copied in ${result.seconds} s. Row count and digest of each table match.`
  return [
    summary,
    "The service that uses DATA_DIR is now read-only and will not restart. Stop it and start it with",
    "",
    `  DATABASE_URL=postgres://…@${result.to}`,
    "",
    "To undo the move, run latchkey move --abort before anything is written to the server."
  ].join("\n")
}

export const moveCommand = Command.make(
  "move",
  {
    to: Flag.Redacted("to").pipe(
      Flag.withDescription("Address of an empty database on a PostgreSQL server; required without --abort"),
      Flag.optional
    ),
    abort: Flag.Boolean("abort").pipe(
      Flag.withDescription("Undo a finished or unfinished move (default: off)"),
      Flag.withDefault(false)
    )
  },
  ({ to, abort }) =>
    runStandaloneCommand(
      Effect.gen(function* () {
        yield* requireEmbeddedDatabase
        if (Option.isSome(to) === abort) return yield* new MoveFailed({ message: "Give either --to or --abort." })
        return Option.isSome(to) ? yield* runMove(to.value) : yield* runAbortMove
      }),
      formatMove
    )
).pipe(
  Command.withDescription("Move the embedded database to a PostgreSQL server, while the service runs read-only"),
  Command.withExamples([
    {
      command: "latchkey move --to postgres://latchkey@db.example.com/latchkey",
      description: "Move the database in DATA_DIR to an empty database"
    }
  ])
)
