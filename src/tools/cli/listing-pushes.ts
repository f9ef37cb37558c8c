import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { type LoggedPush, PushLog, PushState } from "../../domain/calendars/listing-calendars/PushLog.ts"
import { PAGE_DEFAULT, PAGE_MAX } from "../../platform/limits.ts"
import { answer } from "./answer.ts"

export const pushes = Command.make(
  "pushes",
  {
    operator: Flag.Int("operator").pipe(Flag.withDescription("Only of this operator_id"), Flag.optional),
    listing: Flag.String("listing").pipe(Flag.withDescription("Only of this listing_id of a channel"), Flag.optional),
    state: Flag.Literals("state", PushState.literals).pipe(
      Flag.withDescription("Only those that stand so"),
      Flag.optional
    ),
    limit: Flag.Int("limit").pipe(Flag.withDescription("How many, the latest first"), Flag.withDefault(PAGE_DEFAULT))
  },
  ({ operator, listing, state, limit }) =>
    answer(
      "listing pushes",
      Effect.gen(function* () {
        if (limit < 1 || limit > PAGE_MAX) {
          return yield* new BadRequest({ message: `--limit: must be from 1 to ${PAGE_MAX}.` })
        }
        const log = yield* PushLog
        const wanted = {
          operatorId: Option.getOrUndefined(operator),
          listingId: Option.getOrUndefined(listing),
          state: Option.getOrUndefined(state)
        }
        return { pushes: yield* log.latest(wanted, limit) }
      }).pipe(Effect.provide(PushLog.layer)),
      ({ pushes }) => (pushes.length === 0 ? "No pushes." : pushes.map(inWords).join("\n"))
    )
).pipe(Command.withDescription("List what channels were told of listings, what they refused and what still waits"))

/** A channel's words are other people's: quoted, so that nothing in them moves the cursor. */
const inWords = (push: LoggedPush): string =>
  [
    `${push.id}  ${push.created_at}  operator ${push.operator_id}  ${push.channel_type} ${JSON.stringify(push.listing_id)}`,
    `  ${push.kind}, ${push.ranges.length} ranges  ${push.state}  tries: ${push.attempts}`,
    ...(push.reason === null ? [] : [`  ${JSON.stringify(push.reason)}`])
  ].join("\n")
