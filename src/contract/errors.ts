import { Schema } from "effect"

// Rows of the error table (specification, Errors). `message` becomes `error_msg`, so it must contain no secret.

const MessageField = { message: Schema.String }

/** OAuth error codes (RFC 6749 4.1.2.1 and 5.2, RFC 7009, RFC 7591 3.2.2, RFC 8707). */
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

const OAuthErrorField = { oauthErrorCode: Schema.optionalKey(OAuthErrorCode) }

/** Errors have no stack trace, because capturing it would cost more than the rest of a rejection. */
// biome-ignore lint/suspicious/noExplicitAny: TypeScript requires this parameter type of a mixin class.
const withoutStack = <Base extends new (...args: any[]) => object>(base: Base) =>
  class extends base {
    // biome-ignore lint/suspicious/noExplicitAny: The constructor of a mixin class requires it too.
    constructor(...args: any[]) {
      const limit = Error.stackTraceLimit
      Error.stackTraceLimit = 0
      // No Effect API can wrap `super`.
      try {
        super(...args)
      } finally {
        Error.stackTraceLimit = limit
      }
    }
  }

/** 400: a missing field, a wrong type, or fields that exclude each other. */
export class BadRequest extends withoutStack(
  Schema.TaggedError<BadRequest>()("BadRequest", { ...MessageField, ...OAuthErrorField })
) {}

/** 401: no valid token, or a read-only token on a write. */
export class Unauthenticated extends withoutStack(
  Schema.TaggedError<Unauthenticated>()("Unauthenticated", { ...MessageField, ...OAuthErrorField })
) {}

/** 403: the caller may not do this, or may not do it to this record. */
export class Forbidden extends withoutStack(Schema.TaggedError<Forbidden>()("Forbidden", MessageField)) {}

export class NotFound extends withoutStack(Schema.TaggedError<NotFound>()("NotFound", MessageField)) {}

/** 409: a duplicate, a night that is already sold, or another running call with the same idempotency key. */
export class Conflict extends withoutStack(
  Schema.TaggedError<Conflict>()("Conflict", {
    ...MessageField,
    retryAfter: Schema.optionalKey(Schema.Int),
    /** Id of the record that has the name. Null until the id is looked up. */
    existingId: Schema.optionalKey(Schema.NullOr(Schema.Int))
  })
) {}

/** 420: the account is banned, or its subscription has expired or does not cover the call. */
export class SubscriptionRequired extends withoutStack(
  Schema.TaggedError<SubscriptionRequired>()("SubscriptionRequired", MessageField)
) {}

/** 422: a business rule rejects a readable value. */
export class ValidationFailed extends withoutStack(
  Schema.TaggedError<ValidationFailed>()("ValidationFailed", { ...MessageField, ...OAuthErrorField })
) {}

/** 429: a rate-limit window or quota is used up. */
export class RateLimited extends withoutStack(
  Schema.TaggedError<RateLimited>()("RateLimited", {
    ...MessageField,
    headers: Schema.Record(Schema.String, Schema.String)
  })
) {}

/** 500: a defect or an overload. */
export class ServerError extends withoutStack(
  Schema.TaggedError<ServerError>()("ServerError", {
    ...MessageField,
    retryAfter: Schema.optionalKey(Schema.Int),
    /** The call got no permit and does not count in rate-limit windows. */
    notBegun: Schema.optionalKey(Schema.Literal(true))
  })
) {}

/** 501: the endpoint is not enabled for this account or deployment. */
export class NotImplemented extends withoutStack(
  Schema.TaggedError<NotImplemented>()("NotImplemented", MessageField)
) {}

/** 502, 503, 504: a channel failed, is unavailable, or did not respond in time. */
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

export const errorCode = (error: ApiError): number => (error._tag === "Upstream" ? error.code : ERROR_CODES[error._tag])
