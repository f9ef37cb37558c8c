import { Effect, Option, Predicate, Result } from "effect"
import { BadRequest, Unauthenticated } from "../../contract/errors.ts"
import type { CallInput, ReceivedInput } from "../../contract/input.ts"
import type { ApiRequest } from "../http/api-http.ts"
import {
  decodeBodyText,
  type FormFields,
  hasBody,
  isJsonContentType,
  notJsonError,
  parseFormFields,
  parseJsonFields,
  receiveBody
} from "../http/request-body.ts"
import { toResponseFormat } from "./oauth-response.ts"

// Reads requests without a token: a form or JSON, and HTTP Basic credentials. The query and access tokens are ignored
// (RFC 6749 3.2).

/** Rejects invalid HTTP Basic credentials and unsupported media types before it reads the body. */
export const receivePublicRequest = Effect.fnUntraced(function* (
  request: ApiRequest,
  maxBody: number
): Effect.fn.Return<ReceivedInput, BadRequest | Unauthenticated> {
  const type = request.headers["content-type"]
  const credentials = yield* Effect.fromResult(parseBasicCredentials(request.headers["authorization"]))
  if (toResponseFormat(type) !== "form" && !isJsonContentType(type) && hasBody(request)) return yield* notJsonError
  const body = hasBody(request) ? yield* receiveBody(request, maxBody) : NO_BODY
  const parseText = toResponseFormat(type) === "form" ? parseFormInput : parseJsonInput
  const parse = Effect.suspend(() =>
    Effect.fromResult(Result.flatMap(decodeBodyText(body), (text) => parseText(text, credentials)))
  )
  return { bytes: body.length, parse }
})

const NO_BODY = new Uint8Array()

type ParseText = (text: string, credentials: BasicCredentials | undefined) => Result.Result<CallInput, BadRequest>

const parseFormInput: ParseText = (text, credentials) =>
  Result.flatMap(parseFormFields(text, REPEATABLE), (formFields) => {
    const fields = dropEmptyFields(formFields)
    return Result.map(mergeCredentials(fields, credentials), (credentialFields) => ({
      encoding: "text",
      fields: { ...fields, ...credentialFields }
    }))
  })

const parseJsonInput: ParseText = (text, credentials) =>
  Result.flatMap(parseJsonFields(text), (jsonBody): Result.Result<CallInput, BadRequest> => {
    if (!Predicate.isObject(jsonBody)) return Result.succeed({ encoding: "body", fields: jsonBody })
    const fields = Object.fromEntries(Object.entries(jsonBody).filter(([, value]) => value !== ""))
    return Result.map(mergeCredentials(fields, credentials), (credentialFields) => ({
      encoding: "body",
      fields: { ...fields, ...credentialFields }
    }))
  })

/** The only parameter that may be repeated (RFC 8707 2, RFC 6749 3.2). */
const REPEATABLE = "resource"

/** Parameters without a value count as omitted (RFC 6749 3.2). */
const dropEmptyFields = (fields: FormFields): FormFields =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => [name, typeof value === "string" ? value : value.filter((each) => each !== "")] as const)
      .filter(([, value]) => value.length > 0)
  )

interface BasicCredentials {
  readonly client_id: string
  /** Undefined if the secret is empty, as it is for a public client. */
  readonly client_secret: string | undefined
}

export const parseBasicCredentials = (
  header: string | undefined
): Result.Result<BasicCredentials | undefined, Unauthenticated> => {
  const match = /^Basic(?: +(.*))?$/i.exec(header?.trim() ?? "")
  if (match === null) return Result.succeed(undefined)
  const [, encoded = ""] = match
  const text = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? Buffer.from(encoded, "base64").toString("utf8") : ""
  const separator = text.indexOf(":")
  if (separator < 1) return Result.fail(invalidCredentialsError)
  const [id, secret] = [decodeFormValue(text.slice(0, separator)), decodeFormValue(text.slice(separator + 1))]
  return Option.match(Option.all([id, secret]), {
    onNone: () => Result.fail(invalidCredentialsError),
    onSome: ([client_id, client_secret]) =>
      Result.succeed({ client_id, client_secret: client_secret === "" ? undefined : client_secret })
  })
}

/** In HTTP Basic, client id and secret are form-encoded (RFC 6749 2.3.1). */
const decodeFormValue = (text: string): Option.Option<string> =>
  Result.getSuccess(
    Result.try({ try: () => decodeURIComponent(text.replaceAll("+", " ")), catch: () => "it is encoded wrongly" })
  )

/** A client may authenticate in only one way (RFC 6749 2.3). The body may repeat the `client_id` of HTTP Basic. */
const mergeCredentials = (
  fields: Readonly<Record<string, unknown>>,
  credentials: BasicCredentials | undefined
): Result.Result<Readonly<Record<string, string>>, BadRequest> => {
  if (credentials === undefined) return Result.succeed({})
  const { client_id, client_secret } = credentials
  if (isGiven(fields["client_secret"])) return Result.fail(duplicateSecretError)
  if (isGiven(fields["client_id"]) && fields["client_id"] !== client_id) return Result.fail(clientMismatchError)
  return Result.succeed({ client_id, ...(client_secret === undefined ? {} : { client_secret }) })
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const makeInvalidRequest = (message: string) => new BadRequest({ message, oauthErrorCode: "invalid_request" })
const invalidCredentialsError = new Unauthenticated({
  message: "Authorization: must be client_id and client_secret in the form of HTTP Basic.",
  oauthErrorCode: "invalid_client"
})
const duplicateSecretError = makeInvalidRequest("client_secret: must be in Authorization or in the body, not in both.")
const clientMismatchError = makeInvalidRequest("client_id: must be the same in Authorization and in the body.")
