import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { type LoggedPush, PushLog, PushState } from "../../domain/calendars/listing-calendars/PushLog.ts"
import { PAGE_DEFAULT, PAGE_MAX } from "../../platform/limits.ts"
import { runCommand } from "./command-runner.ts"
import { resolveOperatorFilter } from "./operator-filter.ts"

export const listingPushesCommand = Command.make(
  "pushes",
  {
    operator: Flag.Int("operator").pipe(
      Flag.withDescription("List only pushes of this operator_id (default: all operators)"),
      Flag.optional
    ),
    listing: Flag.String("listing").pipe(
      Flag.withDescription("List only pushes to this listing_id (default: all listings)"),
      Flag.optional
    ),
    state: Flag.Literals("state", PushState.literals).pipe(
      Flag.withDescription("List only pushes with this status (default: all)"),
      Flag.optional
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`Pushes to list, newest first, at most ${PAGE_MAX} (default: ${PAGE_DEFAULT})`),
      Flag.withDefault(PAGE_DEFAULT)
    )
  },
  ({ operator, listing, state, limit }) =>
    runCommand(
      "listing pushes",
      Effect.gen(function* () {
        if (limit < 1 || limit > PAGE_MAX) {
          return yield* new BadRequest({ message: `--limit: must be from 1 to ${PAGE_MAX}.` })
        }
        const log = yield* PushLog
        const filter = {
          operatorId: yield* resolveOperatorFilter(operator),
          listingId: Option.getOrUndefined(listing),
          state: Option.getOrUndefined(state)
        }
        return { pushes: yield* log.listLatest(filter, limit) }
      }).pipe(Effect.provide(PushLog.layer)),
      ({ pushes }) => (pushes.length === 0 ? "No pushes." : pushes.map(formatPush).join("\n"))
    )
).pipe(Command.withDescription("List the updates pushed to channels, with the rejected and the pending ones"))

/** `JSON.stringify` keeps control characters away from the terminal. */
const formatPush = (push: LoggedPush): string =>
  [
    `${push.id}  ${push.created_at}  operator ${push.operator_id}  ${push.channel_type} ${JSON.stringify(push.listing_id)}`,
    `  ${push.kind}, ${push.ranges.length} ranges  ${push.state}  tries: ${push.attempts}`,
    ...(push.reason === null ? [] : [`  ${JSON.stringify(push.reason)}`])
  ].join("\n")
