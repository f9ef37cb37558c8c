import { DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { Marketplace, type OrderActionResult } from "../connectors/sandbox/Marketplace.ts"
import {
  decodeBookingRequest,
  decodeInquiryRequest,
  decodeMessageRequest,
  decodeMoneyRequest,
  decodeOrderRequest,
  decodeReviewRequest
} from "../connectors/sandbox/marketplace-requests.ts"
import { NextFailures } from "../connectors/sandbox/NextFailures.ts"
import { CurrentActor, systemActor } from "../contract/actor.ts"
import { type ApiError, ServerError, ValidationFailed } from "../contract/errors.ts"
import { OrderedWork, type WorkNeverEnds } from "../jobs/OrderedWork.ts"
import { makeOptionalRowReader } from "../platform/database/rows.ts"
import type { TestTemplateRejected } from "../platform/database/TestTemplate.ts"
import { decodeAdvance } from "../tools/test-server/advance-duration.ts"
import { CLOCK_END } from "../tools/test-server/options.ts"
import { TestData } from "../tools/test-server/TestData.ts"
import { createTestOperator } from "../tools/test-server/test-operators.ts"
import { type TestAction, TestActions } from "../transports/test-endpoint/test-endpoint.ts"
import { WebhookReceiver } from "../transports/test-endpoint/WebhookReceiver.ts"

const toTime = (now: number): string => new Date(now).toISOString()

const toServerError = ({ message }: WorkNeverEnds | TestTemplateRejected | SqlError) => new ServerError({ message })

const readReservation = makeOptionalRowReader(Schema.Struct({ reservation_code: Schema.String }))

const makeFindReservation =
  (sql: SqlClient.SqlClient) =>
  ({ operator_id, channel_type, order_id }: OrderActionResult) =>
    readReservation(sql`
      SELECT reservation_code FROM orders
      WHERE operator_id = ${operator_id} AND channel_type = ${channel_type} AND channel_id = ${order_id}`)

const isInquiry = (input: unknown): boolean => typeof input === "object" && input !== null && "listing_id" in input

/** Actions of guests and channels. Each runs what is due before it and after it. */
const makeSandboxActions = Effect.gen(function* () {
  const [market, nextFailures] = [yield* Marketplace, yield* NextFailures]
  const findReservation = makeFindReservation(yield* SqlClient.SqlClient)
  const { advance } = yield* OrderedWork
  const runDue = Effect.mapError(advance(0), toServerError)

  const act =
    <Request, View extends { readonly heard: string | null }>(
      decode: (input: unknown) => Effect.Effect<Request, ApiError>,
      run: (request: Request) => Effect.Effect<View, ApiError>,
      addFacts: (view: View) => Effect.Effect<object> = () => Effect.succeed({})
    ): TestAction =>
    (input) =>
      Effect.gen(function* () {
        const request = yield* decode(input)
        yield* runDue
        const view = yield* run(request)
        yield* runDue
        const { heard, ...facts } = view
        // The service may reject an event, such as a booking of nights that are no longer free.
        return toJson({ ...facts, ...(yield* addFacts(view)), ingest_result: heard })
      })

  const withReservation = (view: OrderActionResult) =>
    Effect.map(findReservation(view), (row) => ({ reservation_code: row?.reservation_code ?? null }))
  const writeMessage = act(decodeMessageRequest, market.writeMessage)
  const sendInquiry = act(decodeInquiryRequest, market.sendInquiry)
  // Work that is due now must not use up the failure.
  const failNext: TestAction = (input) => runDue.pipe(Effect.andThen(nextFailures.add(input)), Effect.map(toJson))
  return new Map<string, TestAction>([
    ["POST sandbox/bookings", act(decodeBookingRequest, market.bookOrder, withReservation)],
    ["POST sandbox/cancellations", act(decodeOrderRequest, market.cancelOrder, withReservation)],
    ["POST sandbox/payments", act(decodeMoneyRequest, market.payOrder, withReservation)],
    ["POST sandbox/messages", (input) => (isInquiry(input) ? sendInquiry(input) : writeMessage(input))],
    ["POST sandbox/reviews", act(decodeReviewRequest, market.writeReview)],
    ["POST sandbox/failures", failNext]
  ])
})

const decodeJson = Schema.decodeUnknownSync(Schema.Json)
const toJson = (value: object): Schema.Json => decodeJson(value)

const clockEndError = new ValidationFailed({
  message: `advance: the clock does not pass ${toTime(CLOCK_END)}.`
})

const makeDataActions = Effect.gen(function* () {
  const { access, saveTemplate, reset } = yield* TestData
  const { advance } = yield* OrderedWork
  const { list } = yield* WebhookReceiver
  const services =
    yield* Effect.context<Exclude<Effect.Services<ReturnType<typeof createTestOperator>>, CurrentActor>>()
  const sql = yield* SqlClient.SqlClient
  const { sign_in: _, ...publicAccess } = access
  return new Map<string, TestAction>([
    ["GET access", () => Effect.succeed({ ...publicAccess })],
    [
      "POST reset",
      () =>
        Effect.mapBoth(reset, { onSuccess: (now) => ({ now: toTime(now), ...publicAccess }), onFailure: toServerError })
    ],
    [
      "POST template",
      () => Effect.mapBoth(saveTemplate, { onSuccess: (now) => ({ now: toTime(now) }), onFailure: toServerError })
    ],
    [
      "POST clock",
      Effect.fnUntraced(function* (input) {
        const milliseconds = yield* decodeAdvance(input)
        if ((yield* DateTime.nowAsDate).getTime() + milliseconds > CLOCK_END) return yield* clockEndError
        const now = yield* Effect.mapError(advance(milliseconds), toServerError)
        return { now: toTime(now) }
      })
    ],
    [
      "POST operators",
      (input) =>
        sql.withTransaction(createTestOperator(input)).pipe(
          Effect.catchTag("SqlError", (error) => Effect.fail(toServerError(error))),
          Effect.provide(services),
          Effect.provideService(CurrentActor, systemActor("Latchkey", "test operator"))
        )
    ],
    [
      "GET deliveries",
      () =>
        Effect.mapError(advance(0), toServerError).pipe(
          Effect.andThen(list),
          Effect.map((deliveries) => ({ deliveries }))
        )
    ]
  ])
})

export const layerTestActions = Layer.effect(
  TestActions,
  Effect.map(Effect.all([makeDataActions, makeSandboxActions]), ([data, sandbox]) => new Map([...data, ...sandbox]))
)
