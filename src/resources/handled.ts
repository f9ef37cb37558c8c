import "effect/schema/SchemaJITCompiler/enable"
import { Context, Effect, Layer, Schema, Struct } from "effect"
import type { CurrentOperator } from "../contract/caller.ts"
import type { ApiError, BadRequest, ValidationFailed } from "../contract/errors.ts"
import { type Input, inputDecoderOf, type PayloadSchema } from "../contract/input.ts"
import { type AnyOperation, routeOf } from "../contract/operation.ts"

// The seam between a family and the Service: programs of the operations' own types go in, and come out as something that
// reads an input and answers JSON, whatever the operation.

/** What the seam needs to know of an operation's schemas. */
interface Operation extends AnyOperation {
  readonly payloadSchema: AnyOperation["payloadSchema"] & PayloadSchema<unknown>
  readonly successSchema: AnyOperation["successSchema"] & Schema.ConstraintCodec<unknown, unknown>
  readonly errorSchema: AnyOperation["errorSchema"] & Schema.ConstraintCodec<ApiError, unknown>
}

/**
 * The program of one operation. It needs the caller and nothing else: what a family works with it takes when its layer is
 * made, so a handler that asks for a store while it runs does not compile.
 */
export type Handler<Op extends Operation> = (
  payload: Op["payloadSchema"]["Type"]
) => Effect.Effect<Op["successSchema"]["Type"], Op["errorSchema"]["Type"], CurrentOperator>

type Operations<Name extends string> = { readonly [Each in Name]: Operation & { readonly _tag: Each } }

/** A handler for each operation of a family. */
export type Handlers<Ops extends Record<string, Operation>> = { readonly [Name in keyof Ops]: Handler<Ops[Name]> }

/** What a call asks for, its input read: answers the operation's result as JSON. */
export type Asked = Effect.Effect<Schema.Json, ApiError, CurrentOperator>

/** Reads the input of a call. Path parameters come apart from it, and win. */
export type Reader = (
  input: Input,
  path: Readonly<Record<string, unknown>>
) => Effect.Effect<Asked, BadRequest | ValidationFailed>

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

const readerOf = <Op extends Operation>(operation: Op, handler: Handler<Op>): Reader => {
  const decode = inputDecoderOf<Op["payloadSchema"]["Type"]>(operation.payloadSchema, routeOf(operation))
  // Throws for a result that does not fit its own schema: a defect.
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(operation.successSchema))
  return (input, path) =>
    Effect.map(decode(input, path), (payload) => Effect.map(handler(payload), (result) => encode(result)))
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
