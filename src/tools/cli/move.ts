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
    : new NotMoved({ message: `--to must be ${DATABASE_ADDRESS}` })

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
        message: "DATABASE_URL is set: latchkey move is for the embedded database of DATA_DIR, without it"
      })
)

type Result = Effect.Success<ReturnType<typeof moved>> | Effect.Success<typeof back>

const inWords = (result: Result): string => {
  if ("was" in result) {
    const copy = result.was === "copying" ? "" : ` Drop the copy at ${result.to} before anybody works on it.`
    return `The database of ${result.data_dir} is written to again.${copy}`
  }
  const came = result.finished
    ? "An earlier command had moved it: each table is the same there."
    : `${result.rows} rows of ${result.tables} tables and ${imagesTold(result)} are there, each table compared by count and digest, in ${result.seconds} s.`
  return [
    came,
    "The service that has DATA_DIR only reads from now on and does not start again. Stop it, and start it with",
    "",
    `  DATABASE_URL=postgres://…@${result.to}`,
    "",
    "latchkey move --abort takes this back, as long as nothing was written there."
  ].join("\n")
}

export const move = Command.make(
  "move",
  {
    to: Flag.Redacted("to").pipe(
      Flag.withDescription("Address of an empty database of a PostgreSQL server"),
      Flag.optional
    ),
    abort: Flag.Boolean("abort").pipe(
      Flag.withDescription("Take back a move, whether it came to its end or not"),
      Flag.withDefault(false)
    )
  },
  ({ to, abort }) =>
    answerAlone(
      Effect.gen(function* () {
        yield* notOnServer
        if (Option.isSome(to) === abort) return yield* new NotMoved({ message: "Say --to URL, or --abort." })
        return Option.isSome(to) ? yield* moved(to.value) : yield* back
      }),
      inWords
    )
).pipe(
  Command.withDescription("Move the embedded database to a PostgreSQL server, while the service runs and only reads"),
  Command.withExamples([
    { command: "latchkey move --to postgres://latchkey@db.example.com/latchkey", description: "Into an empty database" }
  ])
)
