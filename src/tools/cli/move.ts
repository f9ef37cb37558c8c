import { Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { migrations } from "../../../migrations/index.ts"
import packageJson from "../../../package.json" with { type: "json" }
import { DATABASE_ADDRESS, isDatabaseAddress } from "../../platform/database/address.ts"
import { Configuration } from "../../service/configuration.ts"
import { move as moveTo, NotMoved, takeMoveBack } from "../backup/moving.ts"
import { answerAlone } from "./answer.ts"
import { imagesTold } from "./backup.ts"
import { isUnreached, Unreached } from "./failure.ts"

const addressIn = (given: Redacted.Redacted): Effect.Effect<Redacted.Redacted, NotMoved> =>
  isDatabaseAddress(Redacted.value(given))
    ? Effect.succeed(given)
    : new NotMoved({ message: `--to: must be ${DATABASE_ADDRESS}` })

const moved = Effect.fnUntraced(function* (given: Redacted.Redacted) {
  const { dataDir, imageStore } = yield* Configuration
  const to = yield* addressIn(given)
  const startedAt = performance.now()
  const result = yield* Effect.catchCauseIf(
    moveTo({ dataDir, imageStore, to, latchkey: packageJson.version, migrations }),
    isUnreached,
    (cause) => Effect.fail(new Unreached({ at: "--to", cause }))
  )
  return { ...result, seconds: Math.round(performance.now() - startedAt) / 1_000 }
})

const back = Effect.gen(function* () {
  const { dataDir } = yield* Configuration
  const { state, to } = yield* takeMoveBack(dataDir)
  return { data_dir: dataDir, was: state, to }
})

const notOnServer = Effect.flatMap(Configuration, ({ databaseUrl }) =>
  databaseUrl === undefined
    ? Effect.void
    : new NotMoved({
        message: "DATABASE_URL: must be unset, because latchkey move copies the embedded database in DATA_DIR"
      })
)

type Result = Effect.Success<ReturnType<typeof moved>> | Effect.Success<typeof back>

const inWords = (result: Result): string => {
  if ("was" in result) {
    const copy = result.was === "copying" ? "" : ` Drop the copy at ${result.to} so that nobody uses it.`
    return `The database in ${result.data_dir} is writable again.${copy}`
  }
  const came = result.finished
    ? "An earlier command finished the move: each table is the same on the server."
    : `${result.rows} rows of ${result.tables} tables and ${imagesTold(result)} copied in ${result.seconds} s. Row count and digest of each table match.`
  return [
    came,
    "The service that uses DATA_DIR is now read-only and will not restart. Stop it and start it with",
    "",
    `  DATABASE_URL=postgres://…@${result.to}`,
    "",
    "To undo the move, run latchkey move --abort before anything is written to the server."
  ].join("\n")
}

export const move = Command.make(
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
    answerAlone(
      Effect.gen(function* () {
        yield* notOnServer
        if (Option.isSome(to) === abort) return yield* new NotMoved({ message: "Give either --to or --abort." })
        return Option.isSome(to) ? yield* moved(to.value) : yield* back
      }),
      inWords
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
