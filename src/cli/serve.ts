import { Effect } from "effect"
import { Command } from "effect/cli"
import { reporting } from "./answer.ts"
import { endAtSecondSignal } from "./signals.ts"

// Loaded when asked for: every other command starts without the server.
const program = Effect.flatMap(
  Effect.promise(() => import("../main.ts")),
  ({ serve }) => serve
)

export const serve = Command.make("serve", {}, () => reporting(Effect.andThen(endAtSecondSignal, program))).pipe(
  Command.withDescription("Run the service, after bringing the database up to date")
)
