import { Effect, Schema } from "effect"
import { parseWebhookId } from "../../src/domain/webhooks/deliveries/delivery-message.ts"
import {
  type ReceivedRequest,
  type ReceiverHandler,
  startReceiver
} from "../support/domain/webhooks/deliveries/webhook-receiver.ts"

// A receiver of webhooks that remembers what came, in the order it came.

const Body = Schema.fromJsonString(
  Schema.Struct({
    event: Schema.String,
    transaction_id: Schema.optionalKey(Schema.Int),
    reservation_code: Schema.optionalKey(Schema.String),
    property_id: Schema.optionalKey(Schema.Int),
    availabilities: Schema.optionalKey(Schema.Array(Schema.Struct({ date: Schema.String, available: Schema.Boolean })))
  })
)
const readBody = Schema.decodeUnknownSync(Body)

export interface Arrival {
  readonly eventId: number
  readonly body: typeof Body.Type
}

/** The record an event is about, if it is one that is looked at: events of one record come in order. */
const recordOf = ({ body }: Arrival): string | undefined =>
  body.transaction_id !== undefined
    ? `transaction ${body.transaction_id}`
    : body.reservation_code !== undefined
      ? `order ${body.reservation_code}`
      : body.property_id !== undefined
        ? `property ${body.property_id}`
        : undefined

const arrivalOf = ({ headers, body }: ReceivedRequest): Arrival => ({
  eventId: parseWebhookId(String(headers["webhook-id"]))?.event_id ?? 0,
  body: readBody(body)
})

/** Listens for the scope and answers as it is told: by default 200 at once. */
export const arrivals = Effect.fnUntraced(function* (answer: ReceiverHandler = (response) => void response.end()) {
  /** What was taken with 200, by event: the first time counts. */
  const first = new Map<number, Arrival>()
  let requests = 0
  const { port } = yield* startReceiver((response, received) => {
    requests++
    response.on("finish", () => {
      const arrival = arrivalOf(received)
      if (response.statusCode === 200 && !first.has(arrival.eventId)) first.set(arrival.eventId, arrival)
    })
    answer(response, received)
  })
  return {
    url: `http://127.0.0.1:${port}/`,
    requests: () => requests,
    first: (): ReadonlyArray<Arrival> => [...first.values()]
  }
})

/** Records of which a later event came before an earlier one. */
export const outOfOrder = (arrived: ReadonlyArray<Arrival>): ReadonlyArray<string> => {
  const newest = new Map<string, number>()
  const wrong = new Set<string>()
  for (const arrival of arrived) {
    const record = recordOf(arrival)
    if (record === undefined) continue
    if (arrival.eventId < (newest.get(record) ?? 0)) wrong.add(record)
    newest.set(record, Math.max(arrival.eventId, newest.get(record) ?? 0))
  }
  return [...wrong]
}
