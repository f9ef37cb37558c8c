import { Context, Schema } from "effect"
import { Rpc } from "effect/rpc"
import { type ApiError, BadRequest, ValidationFailed } from "./errors.ts"
import type { ReleaseVersion } from "./releases.ts"

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE"

/** The REST route of an operation below `/v3`. Segments in braces are payload fields. */
export interface RouteSpec {
  readonly method: Method
  readonly path: string
  /** The names in braces, in order of appearance. */
  readonly params: ReadonlyArray<string>
  /** `image`: the body may carry an image, so its size limit is larger. */
  readonly body: "plain" | "image"
  /** True if the operation changes no record: every GET, and some POSTs. */
  readonly changesNothing: boolean
  /** An unknown field is an error: a misspelt one would make the call do more than is meant. Other operations ignore it. */
  readonly rejectsUnknownFields?: true
}

/** What all operations of a family have in common. */
export interface OperationFamily {
  /** The category of its MCP tools (specification, Tool-protocol endpoint). */
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
  /** Whether its effects reach guests or marketplaces outside the service (`openWorldHint` of MCP). */
  readonly openWorld: boolean
}

/** How MCP shows an operation (specification, Tool-protocol endpoint). Omitted fields have the value of the family. */
export interface ToolMetadata extends Partial<OperationFamily> {
  /** What an agent must know first: which id to look up, what cannot be undone, what the guest sees. */
  readonly description: string
  /** Sentences of a host that this tool answers. */
  readonly intentExamples: ReadonlyArray<string>
  readonly requiresConfirmation: boolean
  /** Whether it deletes or overwrites data. Default: true for a DELETE, else false. */
  readonly destructive?: boolean
  /** Whether repeating the call changes nothing more. Default: false for a POST, else true. */
  readonly idempotent?: boolean
}

export const toolMetadata = (
  description: string,
  intentExamples: ReadonlyArray<string>,
  requiresConfirmation: boolean,
  overrides: Omit<Partial<ToolMetadata>, "description"> = {}
): ToolMetadata => ({ ...overrides, description, intentExamples, requiresConfirmation })

/** An operation that is a REST route and not an MCP tool. */
interface RestOnly {
  /** Why it is not a tool: a clause for the reference page, after "Not a tool:". */
  readonly notATool: string
  /** True if it is an extension: no release of the specification has it. */
  readonly extension?: true
}

/** An operation without a route: the console calls it for a signed-in person, and the command line for an administrator. */
interface ConsoleOnly {
  /** Why no token may call it. */
  readonly consoleOnly: string
  /** A suspended operator may call it too, because it only takes access away or stops something. */
  readonly worksWhenSuspended?: true
}

/** Who can reach an operation: agents and programs, programs alone, or people on the pages of the console. */
export type Exposure = ToolMetadata | RestOnly | ConsoleOnly

/** The limit of calls in each rate-limit window. A window without a value has no limit. */
export interface CallLimits {
  readonly "1m"?: number
  readonly "10m"?: number
  readonly "1h"?: number
  readonly "24h"?: number
}

/** How an operation's calls are counted (specification, Limits). */
interface RateLimitDeclaration {
  /** Layer 2: limits of this operation, instead of the default ones. */
  readonly limits?: CallLimits
  /** Layer 3: the payload field with the id of the conversation that receives a message. */
  readonly conversationField?: string
}

const FamilyAnnotation = Context.Service<OperationFamily>("latchkey/contract/FamilyAnnotation")
const RouteAnnotation = Context.Service<RouteSpec>("latchkey/contract/RouteAnnotation")
const ExposureAnnotation = Context.Service<Exposure>("latchkey/contract/ExposureAnnotation")
const SummaryAnnotation = Context.Service<string>("latchkey/contract/SummaryAnnotation")
const DetailsAnnotation = Context.Service<string | undefined>("latchkey/contract/DetailsAnnotation")
const RateLimitAnnotation = Context.Service<RateLimitDeclaration>("latchkey/contract/RateLimitAnnotation")
/** Whether the caller must send a token. The OAuth endpoints need none (specification, OAuth 2.0 bearer token). */
export const NeedsTokenAnnotation = Context.Service<boolean>("latchkey/contract/NeedsTokenAnnotation")
/** Whether a failure has the HTTP status that its standard defines, for any content type of the request. */
const UsesHttpStatusAnnotation = Context.Service<boolean>("latchkey/contract/UsesHttpStatusAnnotation")

/** An operation has a REST route, or no token can call it. */
type DeclaredExposure =
  | { readonly route: `${Method} /${string}`; readonly exposure: ToolMetadata | RestOnly }
  | { readonly route?: never; readonly exposure: ConsoleOnly }

const pathParamsOf = (path: string): ReadonlyArray<string> =>
  Array.from(path.matchAll(/\{([a-z_]+)\}/g), (match) => match[1] ?? "")

/**
 * Returns the function that declares the operations of a family. The name of an operation is also the name of its tool and its span.
 * Its payload is one flat struct of path, query and body fields, which MCP clients pass as arguments. Every operation has the errors
 * BadRequest and ValidationFailed, because any payload can be malformed.
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
      /** Set for a POST that changes no record, such as a test or a search with a long input. It ignores idempotency keys. */
      readonly changesNothing?: true
      /** Unknown fields are an error. By default they are ignored. */
      readonly rejectsUnknownFields?: true
      /** Layer 2 of the rate limits, if it differs from the default. */
      readonly limits?: CallLimits
      /** Layer 3: the payload field with the id of the conversation that receives a message. */
      readonly conversationField?: keyof Payload & string
      /** Callers send no token: the Gate is not asked, and the handler authorizes the call itself. */
      readonly needsNoToken?: true
      /** Failures have the HTTP status that their standard defines, also for JSON requests: their clients read only the status. */
      readonly usesHttpStatus?: true
      /** One line for the reference page. */
      readonly summary: string
      /** What callers must know beyond the summary and the tool's description. The reference and OpenAPI show it, and tools do not. */
      readonly details?: string
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
      .annotate(DetailsAnnotation, spec.details)
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

/** Any operation, as transports, reference pages and contract tests see it. */
export type AnyOperation = Rpc.AnyWithProps

export const routeOf = (operation: Rpc.Any): RouteSpec => Context.getUnsafe(operation.annotations, RouteAnnotation)
export const exposureOf = (operation: Rpc.Any): Exposure => Context.getUnsafe(operation.annotations, ExposureAnnotation)
export const rateLimitOf = (operation: Rpc.Any): RateLimitDeclaration =>
  Context.getUnsafe(operation.annotations, RateLimitAnnotation)
export const summaryOf = (operation: Rpc.Any): string => Context.getUnsafe(operation.annotations, SummaryAnnotation)
export const detailsOf = (operation: Rpc.Any): string | undefined =>
  Context.getUnsafe(operation.annotations, DetailsAnnotation)
export const familyOf = (operation: Rpc.Any): OperationFamily =>
  Context.getUnsafe(operation.annotations, FamilyAnnotation)
export const toolMetadataOf = (operation: Rpc.Any): (OperationFamily & ToolMetadata) | undefined => {
  const exposure = exposureOf(operation)
  return "notATool" in exposure || "consoleOnly" in exposure ? undefined : { ...familyOf(operation), ...exposure }
}

export const isConsoleOnly = (operation: Rpc.Any): boolean => "consoleOnly" in exposureOf(operation)
export const isExtension = (operation: Rpc.Any): boolean => "extension" in exposureOf(operation)
/** Whether a suspended operator may call it too. */
export const worksWhenSuspended = (operation: Rpc.Any): boolean => "worksWhenSuspended" in exposureOf(operation)

export const needsToken = (operation: Rpc.Any): boolean =>
  Context.getUnsafe(operation.annotations, NeedsTokenAnnotation)
export const usesHttpStatus = (operation: Rpc.Any): boolean =>
  Context.getUnsafe(operation.annotations, UsesHttpStatusAnnotation)

/** A read-only token may call a GET and nothing else (specification, Access token 3). */
export const isAllowedForReadOnlyToken = (operation: Rpc.Any): boolean => routeOf(operation).method === "GET"

/** Whether it changes records. A change is written to the audit log, keeps its idempotency key and wakes the workers. */
export const isChange = (operation: Rpc.Any): boolean => !routeOf(operation).changesNothing
