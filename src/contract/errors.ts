import { Schema } from "effect"

// One tagged error a row of the error_code table (specification, Errors). `message` becomes error_msg: short English
// for people, never for program logic, so it names the field and the rule and holds no secret.

const MessageField = { message: Schema.String }

/** What OAuth calls a refusal (RFC 6749 4.1.2.1 and 5.2, RFC 7009, RFC 7591 3.2.2, RFC 8707), for those clients that read this and not error_code. */
export const OAuthErrorCode = Schema.Literals([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "invalid_scope",
  "invalid_target",
  "access_denied",
  "invalid_redirect_uri",
  "invalid_client_metadata",
  "temporarily_unavailable",
  "server_error"
])
export type OAuthErrorCode = typeof OAuthErrorCode.Type

/** Where the code alone does not tell it. */
const OAuthErrorField = { oauthErrorCode: Schema.optionalKey(OAuthErrorCode) }

/**
 * An error that is an answer and nobody's mistake in the code: without a stack, which nobody would read and which costs more
 * than the rest of a refusal.
 */
// biome-ignore lint/suspicious/noExplicitAny: the language asks for it of every class that is made of another.
const withoutStack = <Base extends new (...args: any[]) => object>(base: Base) =>
  class extends base {
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    constructor(...args: any[]) {
      const limit = Error.stackTraceLimit
      Error.stackTraceLimit = 0
      // Effect has nothing that could stand around a call of super; one that throws must not leave everybody without stacks.
      try {
        super(...args)
      } finally {
        Error.stackTraceLimit = limit
      }
    }
  }

/** 400: the request cannot be read: a missing field, a wrong type, fields that exclude each other. */
export class BadRequest extends withoutStack(
  Schema.TaggedError<BadRequest>()("BadRequest", { ...MessageField, ...OAuthErrorField })
) {}

/** 401: no valid token, or a read-only token on a write. */
export class Unauthenticated extends withoutStack(
  Schema.TaggedError<Unauthenticated>()("Unauthenticated", { ...MessageField, ...OAuthErrorField })
) {}

/** 403: the caller is known and may not do this, or the record is somebody else's. */
export class Forbidden extends withoutStack(Schema.TaggedError<Forbidden>()("Forbidden", MessageField)) {}

/** 404: no such path, or no such record in this account. */
export class NotFound extends withoutStack(Schema.TaggedError<NotFound>()("NotFound", MessageField)) {}

/** 409: the action would create a duplicate, or sell a night twice; or another call with the same key is not through. */
export class Conflict extends withoutStack(
  Schema.TaggedError<Conflict>()("Conflict", {
    ...MessageField,
    /** Seconds after which the same call may succeed. */
    retryAfter: Schema.optionalKey(Schema.Int),
    /** Present if another record has the name: the id of that record, or null before it is looked up. */
    existingId: Schema.optionalKey(Schema.NullOr(Schema.Int))
  })
) {}

/** 420: the account's subscription does not cover the call; only the host can change that. */
export class SubscriptionRequired extends withoutStack(
  Schema.TaggedError<SubscriptionRequired>()("SubscriptionRequired", MessageField)
) {}

/** 422: readable, but a rule of the business refuses it; the message names the field. */
export class ValidationFailed extends withoutStack(
  Schema.TaggedError<ValidationFailed>()("ValidationFailed", { ...MessageField, ...OAuthErrorField })
) {}

/** 429: a window or quota is used up; `headers` say which one and for how long. */
export class RateLimited extends withoutStack(
  Schema.TaggedError<RateLimited>()("RateLimited", {
    ...MessageField,
    headers: Schema.Record(Schema.String, Schema.String)
  })
) {}

/** 500: a defect of the service, which carries nothing but the request_id to look it up by; or more work than time. */
export class ServerError extends withoutStack(
  Schema.TaggedError<ServerError>()("ServerError", {
    ...MessageField,
    /** Seconds after which the same call may succeed. */
    retryAfter: Schema.optionalKey(Schema.Int),
    /** The call got no permit in time and did not begin, so it does not count in a rate-limit window. */
    notBegun: Schema.optionalKey(Schema.Literal(true))
  })
) {}

/** 501: the endpoint exists but is not enabled for this account or deployment. */
export class NotImplemented extends withoutStack(
  Schema.TaggedError<NotImplemented>()("NotImplemented", MessageField)
) {}

/** 502, 503, 504: a channel behind the service failed, is away, or did not answer in time. */
export class Upstream extends withoutStack(
  Schema.TaggedError<Upstream>()("Upstream", {
    ...MessageField,
    code: Schema.Literals([502, 503, 504])
  })
) {}

export type ApiError =
  | BadRequest
  | Unauthenticated
  | Forbidden
  | NotFound
  | Conflict
  | SubscriptionRequired
  | ValidationFailed
  | RateLimited
  | ServerError
  | NotImplemented
  | Upstream

/** The fixed part of the table: a new error without a code does not compile. */
export const ERROR_CODES = {
  BadRequest: 400,
  Unauthenticated: 401,
  Forbidden: 403,
  NotFound: 404,
  Conflict: 409,
  SubscriptionRequired: 420,
  ValidationFailed: 422,
  RateLimited: 429,
  ServerError: 500,
  NotImplemented: 501
} as const satisfies Record<Exclude<ApiError["_tag"], "Upstream">, number>

/** The error_code of a failure (specification, Errors). */
export const errorCode = (error: ApiError): number => (error._tag === "Upstream" ? error.code : ERROR_CODES[error._tag])
