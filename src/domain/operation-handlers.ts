import "effect/schema/SchemaJITCompiler/enable"
import { Context, Effect, identity, Layer, Schema, Struct } from "effect"
import type { IdempotentChange } from "../changes/idempotency.ts"
import type { CurrentActor } from "../contract/actor.ts"
import { type Caller, CurrentCaller } from "../contract/caller.ts"
import type { ApiError, BadRequest, ValidationFailed } from "../contract/errors.ts"
import { selectableListOf, selectResponseFields } from "../contract/field-selection.ts"
import { type CallInput, makeInputDecoder, type PayloadSchema } from "../contract/input.ts"
import { type AnyOperation, isChange, needsToken, routeOf } from "../contract/operation.ts"

interface OperationSchemas extends AnyOperation {
  readonly payloadSchema: AnyOperation["payloadSchema"] & PayloadSchema<unknown>
  readonly successSchema: AnyOperation["successSchema"] & Schema.ConstraintCodec<unknown, unknown>
  readonly errorSchema: AnyOperation["errorSchema"] & Schema.ConstraintCodec<ApiError, unknown>
}

/** A handler cannot require a store while it runs. The family takes its stores when its layer is made. */
type ReadHandler<Payload, Success, Errors> = (payload: Payload) => Effect.Effect<Success, Errors, CurrentCaller>

interface ChangeHandler<Payload, Success, Errors> {
  readonly make: (payload: Payload) => Effect.Effect<ChangeResult<Success>, Errors, CurrentCaller | CurrentActor>
  /** Builds the result of a repeated call from the stored outcome. */
  readonly replay: (outcome: Schema.Json, payload: Payload, caller: Caller) => Success
}

interface ChangeResult<Success> {
  readonly success: Success
  readonly outcome: () => Schema.Json
}

/**
 * `make` makes the change, and `toResult` builds the result. The idempotency key stores only the fields of `outcome`.
 * Fields that are shown once, such as a secret, belong only to `Made`.
 */
export const changeHandler = <Payload, Outcome, Made extends Outcome, Success, Errors>(
  make: (payload: Payload) => Effect.Effect<Made, Errors, CurrentCaller | CurrentActor>,
  outcome: Schema.ConstraintCodec<Outcome, unknown>,
  toResult: (outcome: Made | Outcome, payload: Payload, caller: Caller) => Success
): ChangeHandler<Payload, Success, Errors> => {
  const codec = Schema.toCodecJson(outcome)
  const encode = Schema.encodeSync(codec)
  const decode = Schema.decodeUnknownSync(codec)
  return {
    make: (payload) =>
      Effect.gen(function* () {
        const caller = yield* CurrentCaller
        const result = yield* make(payload)
        return { success: toResult(result, payload, caller), outcome: () => encode(result) }
      }),
    replay: (storedOutcome, payload, caller) => toResult(decode(storedOutcome), payload, caller)
  }
}

export const voidChangeHandler = <Payload, Errors>(
  make: (payload: Payload) => Effect.Effect<unknown, Errors, CurrentCaller | CurrentActor>
): ChangeHandler<Payload, Record<never, never>, Errors> => ({
  make: (payload) => Effect.as(make(payload), { success: {}, outcome: () => ({}) }),
  replay: () => ({})
})

/** Handles an operation without a token. The handler must identify the actor itself. */
interface AnonymousHandler<Payload, Success, Errors> {
  readonly open: (payload: Payload) => Effect.Effect<Success, Errors, CurrentActor>
  /** Fails before the input is read, if the operation is unavailable or called too often. */
  readonly admit?: Effect.Effect<void, Errors>
}

export const anonymousHandler = <Payload, Success, Errors, Refusal = never>(
  handle: (payload: Payload) => Effect.Effect<Success, Errors, CurrentActor>,
  admit?: Effect.Effect<void, Refusal>
): AnonymousHandler<Payload, Success, Errors | Refusal> =>
  admit === undefined ? { open: handle } : { open: handle, admit }

type Handler<Op extends OperationSchemas> =
  | AnonymousHandler<Op["payloadSchema"]["Type"], Op["successSchema"]["Type"], Op["errorSchema"]["Type"]>
  | ReadHandler<Op["payloadSchema"]["Type"], Op["successSchema"]["Type"], Op["errorSchema"]["Type"]>
  | ChangeHandler<Op["payloadSchema"]["Type"], Op["successSchema"]["Type"], Op["errorSchema"]["Type"]>

type OperationsByName<Name extends string> = { readonly [Each in Name]: OperationSchemas & { readonly _tag: Each } }

type Handlers<Ops extends Record<string, OperationSchemas>> = {
  readonly [Name in keyof Ops]: Handler<Ops[Name]>
}

export interface ParsedCall {
  readonly run: Effect.Effect<Schema.Json, ApiError, CurrentCaller | CurrentActor>
  /** Used by calls with an idempotency key. Undefined for a read and for an operation without a token. */
  readonly change: IdempotentChange | undefined
  readonly runAnonymously?: Effect.Effect<Schema.Json, ApiError, CurrentActor>
}

/** Path parameters override the input. */
export interface CallReader {
  (input: CallInput, path: Readonly<Record<string, unknown>>): Effect.Effect<ParsedCall, BadRequest | ValidationFailed>
  readonly admit?: Effect.Effect<void, ApiError>
}

interface HandledOperations<Name extends string> {
  readonly names: ReadonlyArray<Name>
  readonly readers: ReadonlyMap<string, CallReader>
}

export const handleOperations = <Ops extends OperationsByName<keyof Ops & string>>(
  operations: Ops,
  handlers: Handlers<Ops>
): HandledOperations<keyof Ops & string> => {
  const names = Struct.keys(operations)
  return { names, readers: new Map(names.map((name) => [name, makeCallReader(operations[name], handlers[name])])) }
}

/**
 * Throws if the handler does not match the declaration. So every change accepts an idempotency key, and only operations
 * declared without a token run without one.
 */
const makeCallReader = <Op extends OperationSchemas>(operation: Op, handler: Handler<Op>): CallReader => {
  const isOpen = typeof handler === "object" && "open" in handler
  if (needsToken(operation) === isOpen) {
    throw new Error(`${operation._tag}: an operation must be open if and only if it needs no token`)
  }
  if (!isOpen && isChange(operation) === (typeof handler === "function")) {
    throw new Error(`${operation._tag}: a handler must be a change if and only if its operation changes records`)
  }
  const decode = makeInputDecoder<Op["payloadSchema"]["Type"]>(operation.payloadSchema, routeOf(operation))
  // Throws if a result does not fit its schema, which is a defect.
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(operation.successSchema))
  const list = selectableListOf(operation.payloadSchema.ast)
  const selectFields = list === undefined ? (_: unknown, answer: Schema.Json) => answer : selectResponseFields(list)
  const makeCallBuilder = (): ((payload: Op["payloadSchema"]["Type"]) => ParsedCall) => {
    if (typeof handler === "function") {
      return (payload) => ({
        run: Effect.map(handler(payload), (result) => selectFields(payload, encode(result))),
        change: undefined
      })
    }
    if (typeof handler === "object" && "open" in handler) {
      return (payload) => {
        const open = Effect.map(handler.open(payload), (result) => encode(result))
        return { run: open, change: undefined, runAnonymously: open }
      }
    }
    return changeCallBuilder(operation, handler, encode)
  }
  const buildCall = makeCallBuilder()
  const read: CallReader = (input, path) => Effect.map(decode(input, path), buildCall)
  return isOpen && handler.admit !== undefined ? Object.assign(read, { admit: handler.admit }) : read
}

const changeCallBuilder = <Op extends OperationSchemas>(
  operation: Op,
  handler: ChangeHandler<Op["payloadSchema"]["Type"], Op["successSchema"]["Type"], Op["errorSchema"]["Type"]>,
  encode: (result: unknown) => Schema.Json
) => {
  const encodeInput = Schema.encodeUnknownSync(Schema.toCodecJson(operation.payloadSchema))
  const omitPasswords = makePasswordOmitter(operation)
  return (payload: Op["payloadSchema"]["Type"]): ParsedCall => {
    const make = Effect.map(handler.make(payload), ({ success, outcome }) => ({ result: encode(success), outcome }))
    return {
      run: Effect.map(make, ({ result }) => result),
      change: {
        input: () => omitPasswords(encodeInput(payload)),
        make,
        replay: (outcome) => Effect.map(CurrentCaller, (caller) => encode(handler.replay(outcome, payload, caller)))
      }
    }
  }
}

const isJsonObject = Schema.is(Schema.Record(Schema.String, Schema.Json))

const makePasswordOmitter = ({ payloadSchema }: OperationSchemas): ((input: Schema.Json) => Schema.Json) => {
  const passwordFields = Object.entries(payloadSchema.fields).flatMap(([name, field]) =>
    Schema.resolveAnnotationsKey(field)?.isPassword === true ? [name] : []
  )
  if (passwordFields.length === 0) return identity
  return (input) =>
    isJsonObject(input)
      ? Object.fromEntries(Object.entries(input).filter(([name]) => !passwordFields.includes(name)))
      : input
}

/** Service type of one operation's handler. An app that lacks a handler does not compile. */
export interface HandlesOperation<in out Name extends string> {
  readonly name: Name
}

export type HandlesOperations<Name extends string> = Name extends string ? HandlesOperation<Name> : never

const callReaderService = <Name extends string>(name: Name) =>
  Context.Service<HandlesOperations<Name>, CallReader>(`latchkey/resources/Handles/${name}`)

export const layerOperations = <Name extends string, E, R>(
  operations: Effect.Effect<HandledOperations<Name>, E, R>
): Layer.Layer<HandlesOperations<Name>, E, R> =>
  Layer.effectContext(
    Effect.map(operations, ({ readers }) =>
      Context.makeUnsafe<HandlesOperations<Name>>(
        new Map(Array.from(readers, ([name, reader]) => [callReaderService(name).key, reader]))
      )
    )
  )

export const callReader = <Name extends string>(
  name: Name
): Effect.Effect<CallReader, never, HandlesOperations<Name>> => callReaderService(name)
