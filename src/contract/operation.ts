import { Context, Schema } from "effect"
import { Rpc } from "effect/rpc"
import { type ApiError, BadRequest, ValidationFailed } from "./errors.ts"
import type { ReleaseVersion } from "./releases.ts"

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE"

/** `path` begins after `/v3`. */
export interface RouteSpec {
  readonly method: Method
  readonly path: string
  readonly params: ReadonlyArray<string>
  readonly body: "plain" | "image"
  readonly changesNothing: boolean
  /** Set for calls that would do more than meant if a field is misspelt. */
  readonly rejectsUnknownFields?: true
}

export interface OperationFamily {
  /** Specification, Tool-protocol endpoint. */
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
  readonly since: ReleaseVersion
  /** Whether effects reach guests or marketplaces (`openWorldHint` of MCP). */
  readonly openWorld: boolean
}

/** Omitted fields have the family's value. */
export interface ToolMetadata extends Partial<OperationFamily> {
  /** Says which ids to look up first, which effects cannot be undone, and what the guest sees. */
  readonly description: string
  readonly intentExamples: ReadonlyArray<string>
  readonly requiresConfirmation: boolean
  /** Whether the operation deletes or overwrites data. Default: true for a DELETE, else false. */
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

interface RestOnly {
  /** The reason that follows "Not a tool:" in the reference. */
  readonly notATool: string
  /** No release of the specification has the operation. */
  readonly extension?: true
}

/** Only the console and the administrator's command line call the operation. */
interface ConsoleOnly {
  readonly consoleOnly: string
  /** A suspended account may call the operation, because it only revokes access or stops something. */
  readonly worksWhenSuspended?: true
}

export type Exposure = ToolMetadata | RestOnly | ConsoleOnly

/** A missing window has no limit. */
export interface CallLimits {
  readonly "1m"?: number
  readonly "10m"?: number
  readonly "1h"?: number
  readonly "24h"?: number
}

interface RateLimitDeclaration {
  /** Limits of this route, which replace the default ones. */
  readonly limits?: CallLimits
  /** Payload field with the conversation's id. Messages are also limited per conversation. */
  readonly conversationField?: string
}

const FamilyAnnotation = Context.Service<OperationFamily>("latchkey/contract/FamilyAnnotation")
const RouteAnnotation = Context.Service<RouteSpec>("latchkey/contract/RouteAnnotation")
const ExposureAnnotation = Context.Service<Exposure>("latchkey/contract/ExposureAnnotation")
const SummaryAnnotation = Context.Service<string>("latchkey/contract/SummaryAnnotation")
const DetailsAnnotation = Context.Service<string | undefined>("latchkey/contract/DetailsAnnotation")
const RateLimitAnnotation = Context.Service<RateLimitDeclaration>("latchkey/contract/RateLimitAnnotation")
export const NeedsTokenAnnotation = Context.Service<boolean>("latchkey/contract/NeedsTokenAnnotation")
const UsesHttpStatusAnnotation = Context.Service<boolean>("latchkey/contract/UsesHttpStatusAnnotation")

type DeclaredExposure =
  | { readonly route: `${Method} /${string}`; readonly exposure: ToolMetadata | RestOnly }
  | { readonly route?: never; readonly exposure: ConsoleOnly }

const pathParamsOf = (path: string): ReadonlyArray<string> =>
  Array.from(path.matchAll(/\{([a-z_]+)\}/g), (match) => match[1] ?? "")

/**
 * The name of an operation is also the name of its tool and span. Every operation can fail with BadRequest and
 * ValidationFailed.
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
      /** A POST that changes no record. It ignores idempotency keys. */
      readonly changesNothing?: true
      readonly rejectsUnknownFields?: true
      readonly limits?: CallLimits
      readonly conversationField?: keyof Payload & string
      /** The handler authorizes the call instead of the Gate. */
      readonly needsNoToken?: true
      /**
       * Failures have the HTTP status of their standard instead of 200, because clients of these endpoints read only
       * the status.
       */
      readonly usesHttpStatus?: true
      readonly summary: string
      /** Facts beyond `summary`. Tools do not show them. */
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
      // The cast is safe: `Errors` defaults to the empty list.
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
  // Unreachable: the template type admits only these methods.
  if (method === undefined) throw new Error(`route without a method: ${route}`)
  return [method, route.slice(method.length + 1)]
}

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
export const worksWhenSuspended = (operation: Rpc.Any): boolean => "worksWhenSuspended" in exposureOf(operation)

export const needsToken = (operation: Rpc.Any): boolean =>
  Context.getUnsafe(operation.annotations, NeedsTokenAnnotation)
export const usesHttpStatus = (operation: Rpc.Any): boolean =>
  Context.getUnsafe(operation.annotations, UsesHttpStatusAnnotation)

/** Specification, Access token 3. */
export const isAllowedForReadOnlyToken = (operation: Rpc.Any): boolean => routeOf(operation).method === "GET"

/** A change writes the audit log, stores its idempotency key and wakes the workers. */
export const isChange = (operation: Rpc.Any): boolean => !routeOf(operation).changesNothing
