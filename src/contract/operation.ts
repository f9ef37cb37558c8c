import { Context, Schema } from "effect"
import { Rpc } from "effect/rpc"
import { type ApiError, BadRequest, ValidationFailed } from "./errors.ts"
import type { ReleaseVersion } from "./releases.ts"

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE"

/** Where REST serves an operation, below `/v3`. Segments in braces are payload fields. */
export interface RouteSpec {
  readonly method: Method
  readonly path: string
  /** The names in braces, in order of appearance. */
  readonly params: ReadonlyArray<string>
  /** `image`: the body may carry an image, so its size limit is larger. */
  readonly body: "plain" | "image"
  /** Nothing is changed by it, whatever its method. */
  readonly changesNothing: boolean
  /** An unknown field is an error: a misspelt one would make the call do more than is meant. Other operations ignore it. */
  readonly rejectsUnknownFields?: true
}

/** What all operations of a family have in common. */
export interface OperationFamily {
  /** What MCP files its tools under (specification, Tool-protocol endpoint). */
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
  /** The release of the specification its tools came with. */
  readonly since: ReleaseVersion
  /** Whether what it touches is also in a guest's hands or on a marketplace, and not only within the service. */
  readonly openWorld: boolean
}

/** How MCP shows an operation (specification, Tool-protocol endpoint); what is not said is its family's. */
export interface ToolMetadata extends Partial<OperationFamily> {
  /** What an agent must know first: which id to look up, what cannot be undone, what the guest sees. */
  readonly description: string
  /** Sentences of a host that this tool answers. */
  readonly intentExamples: ReadonlyArray<string>
  readonly requiresConfirmation: boolean
  /** Whether what there was is gone after it; unless said, after a DELETE alone. */
  readonly destructive?: boolean
  /** Whether a second call leaves things as the first did; unless said, all but a POST do. */
  readonly idempotent?: boolean
}

export const toolMetadata = (
  description: string,
  intentExamples: ReadonlyArray<string>,
  requiresConfirmation: boolean,
  overrides: Omit<Partial<ToolMetadata>, "description"> = {}
): ToolMetadata => ({ ...overrides, description, intentExamples, requiresConfirmation })

/** An operation that REST has and MCP has not, and why. */
interface RestOnly {
  readonly notATool: string
  /** True if it is an addition of ours, which no release of the specification has. */
  readonly extension?: true
}

/** An operation that only a signed-in person can call, on a page of the console, and why no token may. */
interface ConsoleOnly {
  readonly consoleOnly: string
  /** Also for an account that may do nothing else, since it takes access away or stops something. */
  readonly worksWhenSuspended?: true
}

/** Who can reach an operation: agents and programs, programs alone, or people on the pages of the console. */
export type Exposure = ToolMetadata | RestOnly | ConsoleOnly

/** Most calls in each window; a window that is not named has no limit. */
export interface CallLimits {
  readonly "1m"?: number
  readonly "10m"?: number
  readonly "1h"?: number
  readonly "24h"?: number
}

/** How an operation's calls are counted (specification, Limits). */
interface RateLimitDeclaration {
  /** Layer 2: limits of its own in place of the ordinary ones. */
  readonly limits?: CallLimits
  /** Layer 3: it sends a message into the conversation that this field of its payload names. */
  readonly conversationField?: string
}

const FamilyAnnotation = Context.Service<OperationFamily>("latchkey/contract/FamilyAnnotation")
const RouteAnnotation = Context.Service<RouteSpec>("latchkey/contract/RouteAnnotation")
const ExposureAnnotation = Context.Service<Exposure>("latchkey/contract/ExposureAnnotation")
const SummaryAnnotation = Context.Service<string>("latchkey/contract/SummaryAnnotation")
const RateLimitAnnotation = Context.Service<RateLimitDeclaration>("latchkey/contract/RateLimitAnnotation")
/** Whether whoever calls must show a token; what does not is what gives tokens out (specification, OAuth 2.0 bearer token). */
export const NeedsTokenAnnotation = Context.Service<boolean>("latchkey/contract/NeedsTokenAnnotation")
/** Whether a failure has the HTTP status that its standard defines, for any content type of the request. */
const UsesHttpStatusAnnotation = Context.Service<boolean>("latchkey/contract/UsesHttpStatusAnnotation")

/** Every operation has a route or is the console's alone. */
type DeclaredExposure =
  | { readonly route: `${Method} /${string}`; readonly exposure: ToolMetadata | RestOnly }
  | { readonly route?: never; readonly exposure: ConsoleOnly }

const pathParamsOf = (path: string): ReadonlyArray<string> =>
  Array.from(path.matchAll(/\{([a-z_]+)\}/g), (match) => match[1] ?? "")

/**
 * Answers what declares the operations of a family. An operation's name is the tool's name and the span's; the payload is
 * one flat struct of path, query and body fields together, which is also what an MCP client passes as arguments.
 * BadRequest and ValidationFailed need no mention: any payload can be malformed.
 */
export const defineFamily =
  (familyMetadata: OperationFamily) =>
  <
    const Name extends string,
    const Payload extends Schema.Struct.Fields,
    Success extends Schema.Top,
    const Errors extends ReadonlyArray<Schema.Top & { readonly Type: ApiError }> = readonly []
  >(
    name: Name,
    spec: {
      readonly body?: RouteSpec["body"]
      /** Of what is no GET and yet only reads: what it asks for is too much for a query. */
      readonly changesNothing?: true
      /** Unknown fields are an error, and are not ignored. */
      readonly rejectsUnknownFields?: true
      /** Layer 2 of the rate limits, where it is not the ordinary one. */
      readonly limits?: CallLimits
      /** Layer 3: the field that names the conversation a message goes to. */
      readonly conversationField?: keyof Payload & string
      /** It is called without a token: the Gate has no part in it, and its handler says who may. */
      readonly needsNoToken?: true
      /** A failure has the HTTP status that its standard defines, also for a JSON request: its clients read only the status. */
      readonly usesHttpStatus?: true
      /** One line for the reference page. */
      readonly summary: string
      readonly payload: Payload
      readonly success: Success
      readonly errors?: Errors
    } & DeclaredExposure
  ) => {
    const [method, path] = splitRoute(spec.route ?? `POST /console/${name}`)
    const errors: readonly [typeof BadRequest, typeof ValidationFailed, ...Errors] = [
      BadRequest,
      ValidationFailed,
      // An operation without errors of its own has the empty list, which the default of `Errors` says and inference cannot.
      ...((spec.errors ?? []) as Errors)
    ]
    const { limits, conversationField } = spec
    return Rpc.make(name, {
      payload: Schema.Struct(spec.payload),
      success: spec.success,
      error: Schema.Union(errors)
    })
      .annotate(FamilyAnnotation, familyMetadata)
      .annotate(RouteAnnotation, {
        method,
        path,
        params: pathParamsOf(path),
        body: spec.body ?? "plain",
        changesNothing: method === "GET" || spec.changesNothing === true,
        ...(spec.rejectsUnknownFields === true ? { rejectsUnknownFields: true } : {})
      })
      .annotate(ExposureAnnotation, spec.exposure)
      .annotate(SummaryAnnotation, spec.summary)
      .annotate(NeedsTokenAnnotation, spec.needsNoToken !== true)
      .annotate(UsesHttpStatusAnnotation, spec.usesHttpStatus === true)
      .annotate(RateLimitAnnotation, {
        ...(limits === undefined ? {} : { limits }),
        ...(conversationField === undefined ? {} : { conversationField })
      })
  }

export const METHODS: ReadonlyArray<Method> = ["GET", "POST", "PATCH", "PUT", "DELETE"]

const splitRoute = (route: `${Method} /${string}`): readonly [Method, string] => {
  const method = METHODS.find((each) => route.startsWith(`${each} `))
  // The template type admits only these five.
  if (method === undefined) throw new Error(`route without a method: ${route}`)
  return [method, route.slice(method.length + 1)]
}

/** What the adapters, the reference pages and the contract walk know of any operation. */
export type AnyOperation = Rpc.AnyWithProps

export const routeOf = (operation: Rpc.Any): RouteSpec => Context.getUnsafe(operation.annotations, RouteAnnotation)
export const exposureOf = (operation: Rpc.Any): Exposure => Context.getUnsafe(operation.annotations, ExposureAnnotation)
export const rateLimitOf = (operation: Rpc.Any): RateLimitDeclaration =>
  Context.getUnsafe(operation.annotations, RateLimitAnnotation)
export const summaryOf = (operation: Rpc.Any): string => Context.getUnsafe(operation.annotations, SummaryAnnotation)
export const familyOf = (operation: Rpc.Any): OperationFamily =>
  Context.getUnsafe(operation.annotations, FamilyAnnotation)
export const toolMetadataOf = (operation: Rpc.Any): (OperationFamily & ToolMetadata) | undefined => {
  const exposure = exposureOf(operation)
  return "notATool" in exposure || "consoleOnly" in exposure ? undefined : { ...familyOf(operation), ...exposure }
}

export const isConsoleOnly = (operation: Rpc.Any): boolean => "consoleOnly" in exposureOf(operation)
export const isExtension = (operation: Rpc.Any): boolean => "extension" in exposureOf(operation)
/** Whether an account that is banned or whose subscription has lapsed may call it all the same. */
export const worksWhenSuspended = (operation: Rpc.Any): boolean => "worksWhenSuspended" in exposureOf(operation)

export const needsToken = (operation: Rpc.Any): boolean =>
  Context.getUnsafe(operation.annotations, NeedsTokenAnnotation)
export const usesHttpStatus = (operation: Rpc.Any): boolean =>
  Context.getUnsafe(operation.annotations, UsesHttpStatusAnnotation)

/** A read-only token may call a GET and nothing else (specification, Access token 3). */
export const isAllowedForReadOnlyToken = (operation: Rpc.Any): boolean => routeOf(operation).method === "GET"

/** What changes something leaves a trail, keeps its key and wakes the workers. A POST may read. */
export const isChange = (operation: Rpc.Any): boolean => !routeOf(operation).changesNothing
