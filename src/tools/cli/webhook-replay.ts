import { Clock, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { BadRequest, NotFound } from "../../contract/errors.ts"
import { instantText } from "../../contract/time.ts"
import { DeliveryLog } from "../../domain/webhooks/deliveries/DeliveryLog.ts"
import { deliveryKeyOf } from "../../domain/webhooks/deliveries/message.ts"
import { layerWakeUpOfCommand } from "../../jobs/layer.ts"
import { WakeUp } from "../../jobs/WakeUp.ts"
import { answer } from "./answer.ts"
import { instant } from "./instant.ts"
import { narrowing } from "./webhook-deliveries.ts"

export const replay = Command.make(
  "replay",
  {
    id: Argument.String("id").pipe(Argument.withDescription("One delivery: its webhook-id, evt_…"), Argument.optional),
    ...narrowing,
    since: instant("since", "Of events queued at this time and later"),
    until: instant("until", "Of events queued before this time")
  },
  ({ id, operator, webhook, dead, since, until }) =>
    answer(
      "webhook replay",
      Effect.gen(function* () {
        const log = yield* DeliveryLog
        const now = new Date(yield* Clock.currentTimeMillis)
        if (Option.isSome(id)) return yield* one(id.value, now)
        if (!dead && Option.isNone(since)) {
          return yield* new BadRequest({ message: "Say what to send again: the id of a delivery, --dead or --since." })
        }
        const wanted = {
          operatorId: Option.getOrUndefined(operator),
          subscriptionId: Option.getOrUndefined(webhook),
          dead,
          from: Option.getOrUndefined(since),
          until: Option.getOrUndefined(until)
        }
        return { replayed: yield* log.replay(wanted, now) }
      }).pipe(
        // The running service is told when the command ends.
        Effect.ensuring(Effect.flatMap(WakeUp, ({ wake }) => wake)),
        Effect.provide([DeliveryLog.layer, layerWakeUpOfCommand])
      ),
      ({ replayed }) => `${replayed} ${replayed === 1 ? "delivery goes" : "deliveries go"} out again.`
    )
).pipe(
  Command.withDescription("Send deliveries again, under the ids they had: one, all of a time span, or dead letters"),
  Command.withExamples([
    { command: "latchkey webhook replay evt_277_1", description: "One delivery" },
    { command: "latchkey webhook replay --dead --webhook 12", description: "The dead letters of a subscription" },
    { command: "latchkey webhook replay --since 2027-05-07T10:00:00Z", description: "Everything since then" }
  ])
)

const one = Effect.fnUntraced(function* (id: string, now: Date) {
  const log = yield* DeliveryLog
  const key = deliveryKeyOf(id)
  if (key === undefined) return yield* new BadRequest({ message: `${id} is no webhook-id such as evt_277_1.` })
  const replayed = yield* log.replay({ key }, now)
  if (replayed > 0) return { replayed }
  const [found] = yield* log.list({ key }, 1)
  return yield* new NotFound({
    message:
      found === undefined
        ? `There is no delivery ${id}: they are kept for seven days, dead letters for thirty.`
        : found.state === "waiting"
          ? `${id} waits already; it goes from ${instantText(found.due_at)}.`
          : `The subscription of ${id} was deleted.`
  })
})
