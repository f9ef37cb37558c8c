import "effect/schema/SchemaJITCompiler/enable"
import { Context, Effect, Layer, Schema, Struct } from "effect"
import type { AskedChange } from "../changes/once.ts"
import type { Acting } from "../contract/acting.ts"
import { type Caller, CurrentOperator } from "../contract/caller.ts"
import { chosenListOf, narrowed } from "../contract/chosen-fields.ts"
import type { ApiError, BadRequest, ValidationFailed } from "../contract/errors.ts"
import { type Input, inputDecoderOf, type PayloadSchema } from "../contract/input.ts"
import { type AnyOperation, isChange, needsToken, routeOf } from "../contract/operation.ts"

// The seam between a family and the Service: programs of the operations' own types go in, and come out as something that
// reads an input and answers JSON, whatever the operation.

/** What the seam needs to know of an operation's schemas. */
interface Operation extends AnyOperation {
  readonly payloadSchema: AnyOperation["payloadSchema"] & PayloadSchema<unknown>
  readonly successSchema: AnyOperation["successSchema"] & Schema.ConstraintCodec<unknown, unknown>
  readonly errorSchema: AnyOperation["errorSchema"] & Schema.ConstraintCodec<ApiError, unknown>
}

/**
 * The program of an operation that reads. It needs the caller and nothing else: what a family works with it takes when its
 * layer is made, so a handler that asks for a store while it runs does not compile.
 */
export type ReadHandler<Payload, Success, Errors> = (
  payload: Payload
) => Effect.Effect<Success, Errors, CurrentOperator>

/** The program of an operation that changes ({@link change}, {@link done}). */
export interface ChangeHandler<Payload, Success, Errors> {
  readonly make: (payload: Payload) => Effect.Effect<MadeChange<Success>, Errors, CurrentOperator | Acting>
  /** The result once more, from the outcome that a key kept. */
  readonly replay: (outcome: Schema.Json, payload: Payload, caller: Caller) => Success
}

interface MadeChange<Success> {
  readonly success: Success
  readonly outcome: () => Schema.Json
}

/**
 * A change in two steps: `make` makes it and answers what came of it, `answer` says the operation's result from that and the
 * input alone. Only what `outcome` has is kept under the call's key, which is the row of the changing statement itself
 * (changes/on-record.ts); a repeat is answered from it. What is to be shown once, `make` answers beside it.
 */
export const change = <Payload, Outcome, Made extends Outcome, Success, Errors>(
  make: (payload: Payload) => Effect.Effect<Made, Errors, CurrentOperator | Acting>,
  outcome: Schema.ConstraintCodec<Outcome, unknown>,
  answer: (made: Made | Outcome, payload: Payload, caller: Caller) => Success
): ChangeHandler<Payload, Success, Errors> => {
  const codec = Schema.toCodecJson(outcome)
  const encode = Schema.encodeSync(codec)
  const decode = Schema.decodeUnknownSync(codec)
  return {
    make: (payload) =>
      Effect.gen(function* () {
        const caller = yield* CurrentOperator
        const made = yield* make(payload)
        return { success: answer(made, payload, caller), outcome: () => encode(made) }
      }),
    replay: (kept, payload, caller) => answer(decode(kept), payload, caller)
  }
}

/** A change whose result is that it is made. */
export const done = <Payload, Errors>(
  make: (payload: Payload) => Effect.Effect<unknown, Errors, CurrentOperator | Acting>
): ChangeHandler<Payload, Record<never, never>, Errors> => ({
  make: (payload) => Effect.as(make(payload), { success: {}, outcome: () => ({}) }),
  replay: () => ({})
})

/** The program of an operation that is called without a token: who acts is for it to find out. */
export interface OpenHandler<Payload, Success, Errors> {
  readonly open: (payload: Payload) => Effect.Effect<Success, Errors, Acting>
  /** Fails where it is not to be had, or not so often: before anything of the input is read. */
  readonly admit?: Effect.Effect<void, Errors>
}

export const open = <Payload, Success, Errors, Refusal = never>(
  program: (payload: Payload) => Effect.Effect<Success, Errors, Acting>,
  admit?: Effect.Effect<void, Refusal>
): OpenHandler<Payload, Success, Errors | Refusal> =>
  admit === undefined ? { open: program } : { open: program, admit }

/** The program of one operation. */
export type Handler<Op extends Operation> =
  | OpenHandler<Op["payloadSchema"]["Type"], Op["successSchema"]["Type"], Op["errorSchema"]["Type"]>
  | ReadHandler<Op["payloadSchema"]["Type"], Op["successSchema"]["Type"], Op["errorSchema"]["Type"]>
  | ChangeHandler<Op["payloadSchema"]["Type"], Op["successSchema"]["Type"], Op["errorSchema"]["Type"]>

type Operations<Name extends string> = { readonly [Each in Name]: Operation & { readonly _tag: Each } }

/** A handler for each operation of a family. */
export type Handlers<Ops extends Record<string, Operation>> = { readonly [Name in keyof Ops]: Handler<Ops[Name]> }

/** What a call asks for, its input read. */
export interface Asked {
  /** Does it, and answers the operation's result as JSON. */
  readonly answer: Effect.Effect<Schema.Json, ApiError, CurrentOperator | Acting>
  /** Of an operation that changes: the same, for a call with a key. */
  readonly change: AskedChange | undefined
  /** Of an operation that is called without a token: the same, for nobody yet. */
  readonly open?: Effect.Effect<Schema.Json, ApiError, Acting>
}

/** Reads the input of a call. Path parameters come apart from it, and win. */
export interface Reader {
  (input: Input, path: Readonly<Record<string, unknown>>): Effect.Effect<Asked, BadRequest | ValidationFailed>
  /** Of an operation that is called without a token: fails where it is not to be had. */
  readonly admit?: Effect.Effect<void, ApiError>
}

/** The readers of the operations that are handled, by name. */
export interface Handled<Name extends string> {
  readonly names: ReadonlyArray<Name>
  readonly readers: ReadonlyMap<string, Reader>
}

/** The operations of a family with their handlers. */
export const handled = <Ops extends Operations<keyof Ops & string>>(
  operations: Ops,
  handlers: Handlers<Ops>
): Handled<keyof Ops & string> => {
  const names = Struct.keys(operations)
  return { names, readers: new Map(names.map((name) => [name, readerOf(operations[name], handlers[name])])) }
}

/**
 * Throws for a handler that would change something and keep no key, or would run for nobody where a token is needed: a mistake
 * in a declaration, which any test meets.
 */
const readerOf = <Op extends Operation>(operation: Op, handler: Handler<Op>): Reader => {
  const isOpen = typeof handler === "object" && "open" in handler
  if (needsToken(operation) === isOpen) {
    throw new Error(`${operation._tag}: an operation must be open if and only if it needs no token`)
  }
  if (!isOpen && isChange(operation) === (typeof handler === "function")) {
    throw new Error(`${operation._tag}: a handler must be a change if and only if its operation changes records`)
  }
  const decode = inputDecoderOf<Op["payloadSchema"]["Type"]>(operation.payloadSchema, routeOf(operation))
  // Throws for a result that does not fit its own schema: a defect.
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(operation.successSchema))
  const list = chosenListOf(operation.payloadSchema.ast)
  const asWanted = list === undefined ? (_: unknown, answer: Schema.Json) => answer : narrowed(list)
  const askedOf = (): ((payload: Op["payloadSchema"]["Type"]) => Asked) => {
    if (typeof handler === "function") {
      return (payload) => ({
        answer: Effect.map(handler(payload), (result) => asWanted(payload, encode(result))),
        change: undefined
      })
    }
    if (typeof handler === "object" && "open" in handler) {
      return (payload) => {
        const open = Effect.map(handler.open(payload), (result) => encode(result))
        return { answer: open, change: undefined, open }
      }
    }
    return changing(operation, handler, encode)
  }
  const asked = askedOf()
  const read: Reader = (input, path) => Effect.map(decode(input, path), asked)
  return isOpen && handler.admit !== undefined ? Object.assign(read, { admit: handler.admit }) : read
}

const changing = <Op extends Operation>(
  operation: Op,
  handler: ChangeHandler<Op["payloadSchema"]["Type"], Op["successSchema"]["Type"], Op["errorSchema"]["Type"]>,
  encode: (result: unknown) => Schema.Json
) => {
  const input = Schema.encodeUnknownSync(Schema.toCodecJson(operation.payloadSchema))
  return (payload: Op["payloadSchema"]["Type"]): Asked => {
    const make = Effect.map(handler.make(payload), ({ success, outcome }) => ({ result: encode(success), outcome }))
    return {
      answer: Effect.map(make, ({ result }) => result),
      change: {
        input: () => input(payload),
        make,
        replay: (outcome) => Effect.map(CurrentOperator, (caller) => encode(handler.replay(outcome, payload, caller)))
      }
    }
  }
}

/** What a layer of a family gives: that the operation of that name is handled. */
export interface Handles<in out Name extends string> {
  readonly name: Name
}

/** Of each of several names. */
export type HandlesAll<Name extends string> = Name extends string ? Handles<Name> : never

const readerFor = <Name extends string>(name: Name) =>
  Context.Service<HandlesAll<Name>, Reader>(`latchkey/resources/Handles/${name}`)

/** The layer of a family, from what makes its handlers. */
export const layerHandled = <Name extends string, E, R>(
  made: Effect.Effect<Handled<Name>, E, R>
): Layer.Layer<HandlesAll<Name>, E, R> =>
  Layer.effectContext(
    Effect.map(made, ({ readers }) =>
      Context.makeUnsafe<HandlesAll<Name>>(
        new Map(Array.from(readers, ([name, reader]) => [readerFor(name).key, reader]))
      )
    )
  )

/** The reader of an operation: to be had where the layer of its family is. */
export const reader = <Name extends string>(name: Name): Effect.Effect<Reader, never, HandlesAll<Name>> =>
  readerFor(name)
