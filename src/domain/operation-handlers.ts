import "effect/schema/SchemaJITCompiler/enable"
import { Context, Effect, identity, Layer, Schema, Struct } from "effect"
import type { IdempotentChange } from "../changes/idempotency.ts"
import type { CurrentActor } from "../contract/actor.ts"
import { type Caller, CurrentCaller } from "../contract/caller.ts"
import type { ApiError, BadRequest, ValidationFailed } from "../contract/errors.ts"
import { selectableListOf, selectResponseFields } from "../contract/field-selection.ts"
import { type CallInput, makeInputDecoder, type PayloadSchema } from "../contract/input.ts"
import { type AnyOperation, isChange, needsToken, routeOf } from "../contract/operation.ts"

// The seam between a family and the Service: programs of the operations' own types go in, and come out as something that
// reads an input and answers JSON, whatever the operation.

/** What the seam needs to know of an operation's schemas. */
interface OperationSchemas extends AnyOperation {
  readonly payloadSchema: AnyOperation["payloadSchema"] & PayloadSchema<unknown>
  readonly successSchema: AnyOperation["successSchema"] & Schema.ConstraintCodec<unknown, unknown>
  readonly errorSchema: AnyOperation["errorSchema"] & Schema.ConstraintCodec<ApiError, unknown>
}

/**
 * The program of an operation that reads. It needs the caller and nothing else: what a family works with it takes when its
 * layer is made, so a handler that asks for a store while it runs does not compile.
 */
type ReadHandler<Payload, Success, Errors> = (payload: Payload) => Effect.Effect<Success, Errors, CurrentCaller>

/** The program of an operation that changes ({@link changeHandler}, {@link voidChangeHandler}). */
interface ChangeHandler<Payload, Success, Errors> {
  readonly make: (payload: Payload) => Effect.Effect<ChangeResult<Success>, Errors, CurrentCaller | CurrentActor>
  /** The result once more, from the outcome that a key kept. */
  readonly replay: (outcome: Schema.Json, payload: Payload, caller: Caller) => Success
}

interface ChangeResult<Success> {
  readonly success: Success
  readonly outcome: () => Schema.Json
}

/**
 * A change in two steps: `make` makes it and answers what came of it, `toResult` makes the operation's result from that and the
 * input alone. Only what `outcome` has is kept under the call's key, which is the row of the changing statement itself
 * (changes/recorded-change.ts); a repeat is answered from it. What is to be shown once, `make` answers beside it.
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

/** A change whose result is that it is made. */
export const voidChangeHandler = <Payload, Errors>(
  make: (payload: Payload) => Effect.Effect<unknown, Errors, CurrentCaller | CurrentActor>
): ChangeHandler<Payload, Record<never, never>, Errors> => ({
  make: (payload) => Effect.as(make(payload), { success: {}, outcome: () => ({}) }),
  replay: () => ({})
})

/** The program of an operation that is called without a token: who acts is for it to find out. */
interface AnonymousHandler<Payload, Success, Errors> {
  readonly open: (payload: Payload) => Effect.Effect<Success, Errors, CurrentActor>
  /** Fails where it is not to be had, or not so often: before anything of the input is read. */
  readonly admit?: Effect.Effect<void, Errors>
}

export const anonymousHandler = <Payload, Success, Errors, Refusal = never>(
  handle: (payload: Payload) => Effect.Effect<Success, Errors, CurrentActor>,
  admit?: Effect.Effect<void, Refusal>
): AnonymousHandler<Payload, Success, Errors | Refusal> =>
  admit === undefined ? { open: handle } : { open: handle, admit }

/** The program of one operation. */
type Handler<Op extends OperationSchemas> =
  | AnonymousHandler<Op["payloadSchema"]["Type"], Op["successSchema"]["Type"], Op["errorSchema"]["Type"]>
  | ReadHandler<Op["payloadSchema"]["Type"], Op["successSchema"]["Type"], Op["errorSchema"]["Type"]>
  | ChangeHandler<Op["payloadSchema"]["Type"], Op["successSchema"]["Type"], Op["errorSchema"]["Type"]>

type OperationsByName<Name extends string> = { readonly [Each in Name]: OperationSchemas & { readonly _tag: Each } }

/** A handler for each operation of a family. */
type Handlers<Ops extends Record<string, OperationSchemas>> = {
  readonly [Name in keyof Ops]: Handler<Ops[Name]>
}

/** What a call asks for, its input read. */
export interface ParsedCall {
  /** Does it, and answers the operation's result as JSON. */
  readonly run: Effect.Effect<Schema.Json, ApiError, CurrentCaller | CurrentActor>
  /** Of an operation that changes: the same, for a call with a key. */
  readonly change: IdempotentChange | undefined
  /** Of an operation that is called without a token: the same, for nobody yet. */
  readonly runAnonymously?: Effect.Effect<Schema.Json, ApiError, CurrentActor>
}

/** Reads the input of a call. Path parameters come apart from it, and win. */
export interface CallReader {
  (input: CallInput, path: Readonly<Record<string, unknown>>): Effect.Effect<ParsedCall, BadRequest | ValidationFailed>
  /** Of an operation that is called without a token: fails where it is not to be had. */
  readonly admit?: Effect.Effect<void, ApiError>
}

/** The readers of the operations that are handled, by name. */
interface HandledOperations<Name extends string> {
  readonly names: ReadonlyArray<Name>
  readonly readers: ReadonlyMap<string, CallReader>
}

/** The operations of a family with their handlers. */
export const handleOperations = <Ops extends OperationsByName<keyof Ops & string>>(
  operations: Ops,
  handlers: Handlers<Ops>
): HandledOperations<keyof Ops & string> => {
  const names = Struct.keys(operations)
  return { names, readers: new Map(names.map((name) => [name, makeCallReader(operations[name], handlers[name])])) }
}

/**
 * Throws for a handler that would change something and keep no key, or would run for nobody where a token is needed: a mistake
 * in a declaration, which any test meets.
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
  // Throws for a result that does not fit its own schema: a defect.
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

/** Returns a function that takes the fields that are passwords out of an input. */
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

/** What a layer of a family gives: that the operation of that name is handled. */
export interface HandlesOperation<in out Name extends string> {
  readonly name: Name
}

/** Of each of several names. */
export type HandlesOperations<Name extends string> = Name extends string ? HandlesOperation<Name> : never

const callReaderService = <Name extends string>(name: Name) =>
  Context.Service<HandlesOperations<Name>, CallReader>(`latchkey/resources/Handles/${name}`)

/** The layer of a family, from what makes its handlers. */
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

/** The reader of an operation: to be had where the layer of its family is. */
export const callReader = <Name extends string>(
  name: Name
): Effect.Effect<CallReader, never, HandlesOperations<Name>> => callReaderService(name)
