import { Context, Schema } from "effect"
import { Rpc } from "effect/rpc"
import { Gated } from "./caller.ts"
import { BadRequest, ValidationFailed } from "./errors.ts"

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE"

/** Where REST serves an operation, below `/v3`. Segments in braces are payload fields. */
export interface RouteSpec {
  readonly method: Method
  readonly path: string
  /** The names in braces, in order of appearance. */
  readonly params: ReadonlyArray<string>
  /** `image`: the body may carry an image, so its size limit is larger. */
  readonly body: "plain" | "image"
}

/** How MCP shows an operation (specification, Tool-protocol endpoint). */
export interface ToolCard {
  readonly category:
    | "reservation"
    | "property"
    | "calendar"
    | "finance"
    | "task"
    | "knowledge_base"
    | "messaging"
    | "automation"
    | "meta"
  readonly requiresConfirmation: boolean
  readonly since: string
  /** What an agent must know first: which id to look up, what cannot be undone, what the guest sees. */
  readonly description: string
  /** Sentences of a host that this tool answers. */
  readonly intentExamples: ReadonlyArray<string>
  /** Whether what there was is gone after it; unless said, after a DELETE alone. */
  readonly destructive?: boolean
  /** Whether a second call leaves things as the first did; unless said, all but a POST do. */
  readonly idempotent?: boolean
}

/** An operation that is no tool says why. */
export interface NotATool {
  readonly notATool: string
}

export const Route = Context.Service<RouteSpec>("latchkey/contract/Route")
export const Exposure = Context.Service<ToolCard | NotATool>("latchkey/contract/Exposure")
export const Summary = Context.Service<string>("latchkey/contract/Summary")

const paramsOf = (path: string): ReadonlyArray<string> =>
  Array.from(path.matchAll(/\{([a-z_]+)\}/g), (match) => match[1] ?? "")

/**
 * Declares one operation. The name is the tool's name and the span's; the payload is one flat struct of path, query
 * and body fields together, which is also what an MCP client passes as arguments. BadRequest and ValidationFailed
 * need no mention: any payload can be malformed.
 */
export const operation = <
  const Name extends string,
  const Payload extends Schema.Struct.Fields,
  Success extends Schema.Top,
  const Errors extends ReadonlyArray<Schema.Top> = readonly []
>(
  name: Name,
  declared: {
    readonly route: `${Method} /${string}`
    readonly body?: RouteSpec["body"]
    /** One line for the reference page. */
    readonly summary: string
    readonly payload: Payload
    readonly success: Success
    readonly errors?: Errors
    readonly exposure: ToolCard | NotATool
  }
) => {
  const [method, path] = split(declared.route)
  const errors: readonly [typeof BadRequest, typeof ValidationFailed, ...Errors] = [
    BadRequest,
    ValidationFailed,
    // An operation without errors of its own has the empty list, which the default of `Errors` says and inference cannot.
    ...((declared.errors ?? []) as Errors)
  ]
  return Rpc.make(name, {
    payload: Schema.Struct(declared.payload),
    success: declared.success,
    error: Schema.Union(errors)
  })
    .middleware(Gated)
    .annotate(Route, { method, path, params: paramsOf(path), body: declared.body ?? "plain" })
    .annotate(Exposure, declared.exposure)
    .annotate(Summary, declared.summary)
}

const METHODS: ReadonlyArray<Method> = ["GET", "POST", "PATCH", "PUT", "DELETE"]

const split = (route: `${Method} /${string}`): readonly [Method, string] => {
  const method = METHODS.find((each) => route.startsWith(`${each} `))
  // The template type admits only these five.
  if (method === undefined) throw new Error(`route without a method: ${route}`)
  return [method, route.slice(method.length + 1)]
}

/** What the adapters, the reference pages and the contract walk know of any operation. */
export type AnyOperation = Rpc.AnyWithProps

export const routeOf = (operation: Rpc.Any): RouteSpec => Context.getUnsafe(operation.annotations, Route)
export const exposureOf = (operation: Rpc.Any): ToolCard | NotATool =>
  Context.getUnsafe(operation.annotations, Exposure)
export const summaryOf = (operation: Rpc.Any): string => Context.getUnsafe(operation.annotations, Summary)
export const toolCardOf = (operation: Rpc.Any): ToolCard | undefined => {
  const exposure = exposureOf(operation)
  return "notATool" in exposure ? undefined : exposure
}

/** A GET changes nothing; a read-only token may call nothing else (specification, Access token 3). */
export const isRead = (operation: Rpc.Any): boolean => routeOf(operation).method === "GET"
