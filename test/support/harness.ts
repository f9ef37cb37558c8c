import { randomBytes } from "node:crypto"
import { Cause, Context, Effect, Layer, Logger, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ConcurrencyLimiter } from "../../src/admission/concurrency/ConcurrencyLimiter.ts"
import { computeDigest } from "../../src/admission/gate/credentials.ts"
import { Gate } from "../../src/admission/gate/Gate.ts"
import { Tokens } from "../../src/admission/gate/Tokens.ts"
import type { LimitOverrides } from "../../src/admission/windows/limit-overrides.ts"
import { RateWindows } from "../../src/admission/windows/RateWindows.ts"
import { FailedCallCounter } from "../../src/changes/FailedCallCounter.ts"
import { IdempotencyKeys } from "../../src/changes/IdempotencyKeys.ts"
import { CurrentActor, systemActor } from "../../src/contract/actor.ts"
import { GateError } from "../../src/contract/caller.ts"
import type { Envelope, ServiceResponse } from "../../src/contract/envelope.ts"
import { ERROR_CODES } from "../../src/contract/errors.ts"
import { IDEMPOTENCY_KEY_HEADER } from "../../src/contract/idempotency-key.ts"
import { toReceivedInput } from "../../src/contract/input.ts"
import type { ChannelGateway } from "../../src/domain/channels/port/ChannelGateway.ts"
import { Images } from "../../src/domain/guests/images/Images.ts"
import { OutboundHttp } from "../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { NewEventNotifier } from "../../src/jobs/events/NewEventNotifier.ts"
import { Shutdown } from "../../src/jobs/Shutdown.ts"
import { WakeUp } from "../../src/jobs/WakeUp.ts"
import { jsonParameter } from "../../src/platform/database/parameters.ts"
import { MailEnabled } from "../../src/platform/mail/Mailer.ts"
import { type Api, type ApiOperation, type OperationName, operations } from "../../src/service/Api.ts"
import { layerHandlers } from "../../src/service/handlers.ts"
import { Service, type ServiceCall } from "../../src/service/service.ts"
import { layerServiceAssembly, layerServiceAssemblyNoDeps } from "../../src/service/service-assembly.ts"
import { layerStores } from "../../src/service/stores.ts"
import { ScriptedChannel } from "./scripted-channel.ts"
import { layerTestDatabase } from "./test-database.ts"

// The whole service in the process, without a port. Tests share one database and never collide: each takes operators of
// its own. Whatever varies is swapped by giving `layerService` other layers.

/** Gate and handlers over a database: what the Service runs on. */
const layerGateAndHandlers = Layer.mergeAll(layerHandlers, Gate.layer).pipe(
  Layer.provide(IdempotencyKeys.layer),
  Layer.provideMerge(Tokens.layer)
)

/**
 * The service over any database, windows and channels, open to what reaches other hosts. Its changes wake the workers that are given
 * the same `WakeUp`.
 */
export const layerServiceWithOutbound = <E>(
  database: Layer.Layer<SqlClient.SqlClient, E>,
  windows: Layer.Layer<RateWindows> = RateWindows.layerMemory,
  channels: Layer.Layer<ScriptedChannel | ChannelGateway> = ScriptedChannel.layer,
  wakeUp: Layer.Layer<WakeUp> = WakeUp.layerProcess,
  failedCalls: Layer.Layer<FailedCallCounter, never, SqlClient.SqlClient> = FailedCallCounter.layerNone
) =>
  layerServiceAssembly.pipe(
    Layer.provideMerge(Layer.mergeAll(layerGateAndHandlers, failedCalls)),
    Layer.provide(Layer.succeed(MailEnabled, true)),
    Layer.provideMerge(Images.layerDatabase),
    Layer.provideMerge(
      Layer.mergeAll(
        database,
        windows,
        channels,
        wakeUp,
        ConcurrencyLimiter.layer(),
        NewEventNotifier.layerProcess,
        Shutdown.layer
      )
    )
  )

/** The same, which reaches no other host. */
export const layerService = <E>(...parts: Parameters<typeof layerServiceWithOutbound<E>>) =>
  Layer.provideMerge(layerServiceWithOutbound(...parts), OutboundHttp.layerNoContent)

/** The service over the database of the test run. */
export const layerTest = layerService(layerTestDatabase)

/** The same with fakes in the place of some stores and ports; each that is not faked is real. */
export const layerServiceWithFakes = <A, R = never>(fakes: Layer.Layer<A, never, R>) =>
  layerServiceAssemblyNoDeps.pipe(
    Layer.provide(fakes),
    Layer.provide(layerStores),
    Layer.provide([Gate.layer, IdempotencyKeys.layer]),
    Layer.provide(Tokens.layer),
    Layer.fresh,
    Layer.provideMerge(layerTest)
  )

export interface OperatorOptions {
  readonly timeZone?: string
  readonly currency?: string
  readonly edition?: "pro" | "basic"
  readonly status?: "active" | "banned" | "closed"
  readonly subscriptionUntil?: Date
  /** Limits in place of the table's, for tests that make more calls than a minute takes. */
  readonly rateLimits?: typeof LimitOverrides.Type
}

export interface TestOperator {
  readonly operatorId: number
  readonly accountId: number
  /** Writable token of the main account. */
  readonly token: string
  readonly readOnlyToken: string
}

/** For a store that a test calls without the service: nobody's account acts. */
export const asSystemActor = Effect.provideService(CurrentActor, systemActor("test", "test"))

const firstId = (rows: ReadonlyArray<{ readonly id: number }>): Effect.Effect<number> =>
  rows[0] === undefined ? Effect.die(new Error("nothing was inserted")) : Effect.succeed(rows[0].id)

/** A token of an account. */
export const createAccessToken = Effect.fn("tokenFor")(function* (
  account: { readonly operatorId: number; readonly accountId: number },
  scope: "writable" | "read-only"
) {
  const sql = yield* SqlClient.SqlClient
  const token = `lk_${randomBytes(24).toString("base64url")}`
  yield* sql`
    INSERT INTO access_tokens (operator_id, account_id, name, scope, digest, created_at)
    VALUES (${account.operatorId}, ${account.accountId}, 'test', ${scope}, ${computeDigest(token)}, now())`
  return token
}, Effect.orDie)

/** An account of an operator. */
export const insertAccount = Effect.fn("accountOf")(function* (operatorId: number, role: "main" | "sub", name: string) {
  const sql = yield* SqlClient.SqlClient
  const email = `${randomBytes(8).toString("hex")}@example.test`
  return yield* firstId(
    yield* sql<{ id: number }>`
      INSERT INTO accounts (operator_id, role, name, email, password_hash, created_at)
      VALUES (${operatorId}, ${role}, ${name}, ${email}, 'none', now()) RETURNING id`
  )
}, Effect.orDie)

/** A new operator with its main account and a token of each scope. */
export const createOperator: (options?: OperatorOptions) => Effect.Effect<TestOperator, never, SqlClient.SqlClient> =
  Effect.fn("freshOperator")(function* (options: OperatorOptions = {}) {
    const sql = yield* SqlClient.SqlClient
    const operatorId = yield* firstId(
      yield* sql<{ id: number }>`
      INSERT INTO operators (name, time_zone, currency, edition, status, subscription_until, rate_limits, created_at)
      VALUES ('Test', ${options.timeZone ?? "Europe/Berlin"}, ${options.currency ?? "EUR"}, ${options.edition ?? "pro"},
        ${options.status ?? "active"}, ${options.subscriptionUntil ?? null},
        ${options.rateLimits === undefined ? null : JSON.stringify(options.rateLimits)}::jsonb, now()) RETURNING id`
    )
    const accountId = yield* insertAccount(operatorId, "main", "Owner")
    const account = { operatorId, accountId }
    const operator: TestOperator = {
      ...account,
      token: yield* createAccessToken(account, "writable"),
      readOnlyToken: yield* createAccessToken(account, "read-only")
    }
    return operator
  }, Effect.orDie)

/** A property of the operator; answers its id. */
export const insertProperty = Effect.fn("propertyOf")(function* (operatorId: number, title: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* firstId(
    yield* sql<{ id: number }>`
      INSERT INTO properties (operator_id, title, created_at) VALUES (${operatorId}, ${title}, now()) RETURNING id`
  )
}, Effect.orDie)

export interface StayOptions {
  readonly propertyId: number | null
  readonly revenue?: string
  readonly checkIn?: string
  readonly checkOut?: string
}

export interface OrderOptions {
  readonly currency?: string
  /** Default: `direct`, an order made by hand, whose code begins with `5-`; any other's with `0-`. */
  readonly channelType?: string
  /** Default: `accepted`; others hold no nights. */
  readonly status?: "wait_accept" | "wait_pay" | "accepted" | "denied" | "timeout"
}

/**
 * An order with its stays and the nights they hold, written directly: `5-CODE` has stays `5-CODE`, `5-CODE_1`, …
 * Answers its code. Dies when a night is taken already.
 */
export const insertOrder = Effect.fn("orderOf")(function* (
  operatorId: number,
  stays: ReadonlyArray<StayOptions>,
  options: OrderOptions = {}
) {
  const sql = yield* SqlClient.SqlClient
  const channelId = randomBytes(5).toString("hex").toUpperCase()
  const { channelType = "direct", status = "accepted", currency = "EUR" } = options
  const code = `${channelType === "direct" ? 5 : 0}-${channelId}`
  const rows = stays.map((stay, index) => ({
    stay_code: index === 0 ? code : `${code}_${index}`,
    property_id: stay.propertyId,
    check_in_date: stay.checkIn ?? "2027-05-01",
    check_out_date: stay.checkOut ?? "2027-05-04",
    revenue: stay.revenue ?? "100"
  }))
  yield* sql`
    WITH entered AS (
      INSERT INTO orders (operator_id, reservation_code, channel_type, channel_id, status, currency, booked_at, created_at)
      VALUES (${operatorId}, ${code}, ${channelType}, ${channelId}, ${status}, ${currency}, now(), now()) RETURNING id
    ), stay AS (
      INSERT INTO stays (operator_id, order_id, stay_code, property_id, check_in_date, check_out_date, rate, accommodation_revenue)
      SELECT ${operatorId}, entered.id, row.stay_code, row.property_id, row.check_in_date, row.check_out_date, row.revenue, row.revenue
      FROM entered, jsonb_to_recordset(${jsonParameter(rows)}::jsonb) AS row (
        stay_code text, property_id bigint, check_in_date date, check_out_date date, revenue numeric)
      ORDER BY row.stay_code
      RETURNING id, property_id, check_in_date, check_out_date
    )
    INSERT INTO calendar_days (operator_id, property_id, day, stay_id)
    SELECT ${operatorId}, stay.property_id, night::date, stay.id
    FROM stay, generate_series(stay.check_in_date, stay.check_out_date - 1, interval '1 day') night
    WHERE stay.property_id IS NOT NULL AND ${status} = 'accepted'
    ON CONFLICT (operator_id, property_id, day) DO UPDATE SET stay_id = excluded.stay_id`
  return code
}, Effect.orDie)

/** A call of the typed client: the operation's own types, and its own errors beside the Gate's. */
type TypedCall<Op extends ApiOperation> = (
  ...payload: Record<string, never> extends Op["payloadSchema"]["Type"]
    ? [payload?: Op["payloadSchema"]["Type"]]
    : [payload: Op["payloadSchema"]["Type"]]
) => Effect.Effect<Op["successSchema"]["Type"], Op["errorSchema"]["Type"] | GateError>

type TypedClient = { readonly [Name in OperationName]: TypedCall<(typeof Api)[Name]> }

/** The token that calls of the typed client carry. */
const CallToken = Context.Reference<string | undefined>("latchkey/test/TokenOfCalls", {
  defaultValue: () => undefined
})

const errorTagByCode = new Map<number, string>(Object.entries(ERROR_CODES).map(([tag, code]) => [code, tag]))

/** The error an answer tells of, as its schema has it. */
const toErrorFields = ({ envelope: { error_code, error_msg }, headers }: ServiceResponse) => ({
  _tag: errorTagByCode.get(error_code) ?? "Upstream",
  message: error_msg,
  code: error_code,
  headers
})

/** A test's log lines go nowhere; the cause of a defect is told all the same, as its caller is told nothing of it. */
export const reportDefects = Effect.updateService(
  Logger.CurrentLoggers,
  (loggers) => new Set([...loggers, defectLogger])
)

const defectLogger = Logger.make(({ cause, message }) => {
  if ([message].flat()[0] === "defect") console.error(Cause.pretty(cause))
})

const makeTypedCall = (operation: ApiOperation) => {
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(operation.payloadSchema))
  const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(operation.successSchema))
  const decodeError = Schema.decodeUnknownEffect(Schema.toCodecJson(Schema.Union([operation.errorSchema, GateError])))
  return (service: Service["Service"]) =>
    Effect.fnUntraced(function* (payload: unknown = {}) {
      const token = yield* CallToken
      const response = yield* reportDefects(
        service.call(operation._tag, toServiceCall(token, yield* Effect.orDie(encode(payload))))
      )
      const { error_code, error_msg, data } = response.envelope
      if (error_code === 0) return yield* Effect.orDie(decode(data))
      // An error that neither the operation nor the Gate declares is a defect, as a 500 is.
      const undeclared = () => new Error(`${operation._tag} answered ${error_code}: ${error_msg}`)
      return yield* Effect.fail(
        yield* Effect.catch(decodeError(toErrorFields(response)), () => Effect.die(undeclared()))
      )
    })
}

const typedCalls = operations.map((operation) => [operation._tag, makeTypedCall(operation)] as const)

/** The typed client: one method an operation, errors typed, on the one way that calls take, without a port. */
export const typedClient = Effect.map(
  Service,
  (service) =>
    // Each method is made from the operation its name stands for, which a list of entries cannot say in types.
    Object.fromEntries(typedCalls.map(([name, makeCall]) => [name, makeCall(service)])) as unknown as TypedClient
)

/** Calls of the typed client made within carry this token. */
export const withToken = (token: string) => Effect.provideService(CallToken, token)

/** A call whose input is fields as JSON values, under an idempotency key if one is given. */
export const toServiceCall = (token: string | undefined, fields: unknown, key?: string): ServiceCall => ({
  transport: "rest",
  headers: token === undefined ? {} : { "service-access-token": token },
  params: {},
  idempotencyKey: key === undefined ? undefined : { field: IDEMPOTENCY_KEY_HEADER, value: key },
  receive: Effect.succeed(toReceivedInput({ encoding: "json", fields }))
})

/** What a tool call or a JSON body would be answered, envelope, headers and all. */
export const callForResponse = Effect.fn("call")(function* (
  token: string | undefined,
  operation: OperationName,
  fields: unknown = {},
  key?: string
) {
  const service = yield* Service
  return yield* reportDefects(service.call(operation, toServiceCall(token, fields, key)))
})

/** The envelope of {@link answerTo}. */
export const call = (token: string | undefined, operation: OperationName, fields: unknown = {}) =>
  Effect.map(callForResponse(token, operation, fields), ({ envelope }) => envelope)

/** The data of a successful envelope; fails the test when it is an error. */
export const dataOf = (envelope: Envelope): Effect.Effect<Schema.Json> =>
  envelope.error_code === 0
    ? Effect.succeed(envelope.data)
    : Effect.die(new Error(`${envelope.error_code} ${envelope.error_msg}`))
