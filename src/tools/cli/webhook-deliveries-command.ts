import { Clock, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { formatUtcInstant } from "../../contract/time.ts"
import { DeliveryLog, type LoggedDelivery } from "../../domain/webhooks/deliveries/DeliveryLog.ts"
import { formatWebhookId } from "../../domain/webhooks/deliveries/delivery-message.ts"
import { PAGE_DEFAULT } from "../../platform/limits.ts"
import { runCommand } from "./command-runner.ts"
import { resolveOperatorFilter } from "./operator-filter.ts"

export const deliveryFilterFlags = {
  operator: Flag.Int("operator").pipe(
    Flag.withDescription("Only deliveries of this operator_id (default: all operators)"),
    Flag.optional
  ),
  webhook: Flag.Int("webhook").pipe(
    Flag.withDescription("Only deliveries of this webhook id (default: all webhooks)"),
    Flag.optional
  ),
  dead: Flag.Boolean("dead").pipe(Flag.withDescription("Only dead letters (default: off)"), Flag.withDefault(false))
}

export const webhookDeliveriesCommand = Command.make(
  "deliveries",
  {
    ...deliveryFilterFlags,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`Deliveries to list, newest first (default: ${PAGE_DEFAULT})`),
      Flag.withDefault(PAGE_DEFAULT)
    )
  },
  ({ operator, webhook, dead, limit }) =>
    runCommand(
      "webhook deliveries",
      Effect.gen(function* () {
        const log = yield* DeliveryLog
        const filter = {
          operatorId: yield* resolveOperatorFilter(operator),
          subscriptionId: Option.getOrUndefined(webhook),
          deadLettersOnly: dead
        }
        const deliveries = yield* log.list(filter, Math.max(limit, 0))
        const oldest = yield* log.findOldestWaiting(filter)
        const now = yield* Clock.currentTimeMillis
        return {
          deliveries: deliveries.map(toDeliveryOutput),
          oldest_waiting:
            oldest === undefined
              ? null
              : {
                  id: formatWebhookId(oldest),
                  queued_at: formatUtcInstant(oldest.queued_at),
                  age_seconds: Math.max(0, Math.floor((now - oldest.queued_at.getTime()) / 1000))
                }
        }
      }).pipe(Effect.provide(DeliveryLog.layer)),
      ({ deliveries, oldest_waiting }) =>
        [
          ...(deliveries.length === 0 ? ["No deliveries."] : deliveries.map(formatDelivery)),
          ...(oldest_waiting === null
            ? []
            : [
                `The oldest pending delivery is ${oldest_waiting.id}, queued ${formatAge(oldest_waiting.age_seconds)} ago.`
              ])
        ].join("\n")
    )
).pipe(Command.withDescription("List deliveries of the last seven days with each attempt"))

const toDeliveryOutput = ({ event_id, subscription_id, due_at, attempts, ...delivery }: LoggedDelivery) => ({
  id: formatWebhookId({ event_id, subscription_id }),
  operator_id: delivery.operator_id,
  webhook_id: subscription_id,
  url: delivery.url,
  event: delivery.event,
  record: delivery.record,
  queued_at: formatUtcInstant(delivery.queued_at),
  state: delivery.state,
  due_at: delivery.state === "waiting" ? formatUtcInstant(due_at) : null,
  paused_reason: delivery.paused_reason,
  attempts: attempts.map((each) => ({ ...each, started_at: formatUtcInstant(each.started_at) }))
})

export const formatAge = (seconds: number): string => {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min`
  return seconds < 2 * 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} days`
}

type DeliveryOutput = ReturnType<typeof toDeliveryOutput>

const formatAttempt = (attempt: DeliveryOutput["attempts"][number]): string => {
  const outcome = attempt.status === null ? `${attempt.reason}: ${attempt.detail}` : String(attempt.status)
  const responseText = attempt.first_bytes ? ` ${JSON.stringify(attempt.first_bytes)}` : ""
  return `  ${attempt.started_at}  try ${attempt.attempt}  ${outcome}  ${attempt.duration_ms} ms${responseText}`
}

const formatState = ({ state, due_at, paused_reason }: DeliveryOutput): string => {
  if (due_at === null) return `  ${state}`
  return paused_reason === null
    ? `  ${state}, next try from ${due_at}`
    : `  ${state}; the webhook is paused: ${paused_reason}`
}

const formatDelivery = (delivery: DeliveryOutput): string =>
  [
    `${delivery.id}  ${delivery.event}  ${delivery.record}  ${delivery.url}`,
    formatState(delivery),
    ...delivery.attempts.map(formatAttempt)
  ].join("\n")
