import { Clock, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { BadRequest, NotFound } from "../../contract/errors.ts"
import { formatUtcInstant } from "../../contract/time.ts"
import { DeliveryLog } from "../../domain/webhooks/deliveries/DeliveryLog.ts"
import { parseWebhookId } from "../../domain/webhooks/deliveries/delivery-message.ts"
import { replay_webhook_delivery } from "../../domain/webhooks/delivery-log/contract.ts"
import { WakeUp } from "../../jobs/WakeUp.ts"
import { layerCommandWakeUp } from "../../jobs/wake-up-layers.ts"
import { instantFlag } from "./instant-flag.ts"
import { callOperation, runOperationCommand } from "./operation-call.ts"
import { resolveOperatorFilter } from "./operator-filter.ts"
import { deliveryFilterFlags } from "./webhook-deliveries-command.ts"

export const webhookReplayCommand = Command.make(
  "replay",
  {
    id: Argument.String("id").pipe(
      Argument.withDescription("webhook-id of one delivery, such as evt_277_1"),
      Argument.optional
    ),
    ...deliveryFilterFlags,
    since: instantFlag("since", "Resend events queued from this time on"),
    until: instantFlag("until", "Resend events queued before this time")
  },
  ({ id, operator, webhook, dead, since, until }) =>
    runOperationCommand(
      "webhook replay",
      Effect.gen(function* () {
        const log = yield* DeliveryLog
        const now = new Date(yield* Clock.currentTimeMillis)
        if (Option.isSome(id)) return yield* replayOne(id.value)
        if (!dead && Option.isNone(since)) {
          return yield* new BadRequest({ message: "Give the id of a delivery, --dead or --since." })
        }
        const filter = {
          operatorId: yield* resolveOperatorFilter(operator),
          subscriptionId: Option.getOrUndefined(webhook),
          deadLettersOnly: dead,
          queuedFrom: Option.getOrUndefined(since),
          queuedUntil: Option.getOrUndefined(until)
        }
        return { replayed: yield* log.replay(filter, now) }
      }).pipe(
        Effect.ensuring(Effect.flatMap(WakeUp, ({ wake }) => wake)),
        Effect.provide([DeliveryLog.layer, layerCommandWakeUp])
      ),
      ({ replayed }) => `Queued ${replayed} ${replayed === 1 ? "delivery" : "deliveries"} again.`
    )
).pipe(
  Command.withDescription("Resend one delivery, those of a time span, or dead letters, with their former ids"),
  Command.withExamples([
    { command: "latchkey webhook replay evt_277_1", description: "Resend one delivery" },
    {
      command: "latchkey webhook replay --dead --webhook 12",
      description: "Resend the dead letters of a subscription"
    },
    {
      command: "latchkey webhook replay --since 2027-05-07T10:00:00Z",
      description: "Resend everything from that time on"
    }
  ])
)

const replayOne = Effect.fnUntraced(function* (id: string) {
  const log = yield* DeliveryLog
  const key = parseWebhookId(id)
  if (key === undefined)
    return yield* new BadRequest({ message: `id: must be a webhook-id such as evt_277_1, not ${id}.` })
  const [delivery] = yield* log.list({ key }, 1)
  if (delivery === undefined) {
    return yield* new NotFound({
      message: `There is no delivery ${id}; deliveries are kept for 7 days, dead letters for 30.`
    })
  }
  if (delivery.state === "waiting") {
    return yield* new NotFound({
      message: `${id} is already queued; the next attempt is at ${formatUtcInstant(delivery.due_at)}.`
    })
  }
  yield* callOperation(replay_webhook_delivery, delivery.operator_id, { id })
  return { replayed: 1 }
})
