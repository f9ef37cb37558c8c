import { type ByteSize, Effect, Option, Predicate, Result } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { BadRequest, Unauthenticated } from "../../contract/errors.ts"
import type { Input, ReceivedInput } from "../../contract/input.ts"
import {
  bodyText,
  type FormFields,
  formFields,
  hasBody,
  isJson,
  jsonFields,
  notJson,
  receiveBody
} from "../http/body.ts"
import { mannerOf } from "./standard-answer.ts"

// What a request to an operation without a token says: its form or its JSON, and as whom HTTP Basic says it comes. Its query says
// nothing (RFC 6749 3.2), and a token that came with it is not looked at.

/** Receives a request to an operation without a token. Rejects invalid HTTP Basic credentials and other media types first. */
export const receiveOpenRequest = Effect.fnUntraced(function* (
  request: HttpServerRequest,
  maxBody: ByteSize.ByteSize
): Effect.fn.Return<ReceivedInput, BadRequest | Unauthenticated> {
  const type = request.headers["content-type"]
  const basic = yield* Effect.fromResult(basicOf(request.headers["authorization"]))
  if (mannerOf(type) !== "form" && !isJson(type) && hasBody(request)) return yield* notJson
  const body = hasBody(request) ? yield* receiveBody(request, maxBody) : NO_BODY
  const fieldsOf = mannerOf(type) === "form" ? formInput : jsonInput
  const parse = Effect.suspend(() => Effect.fromResult(Result.flatMap(bodyText(body), (text) => fieldsOf(text, basic))))
  return { bytes: body.length, parse }
})

const NO_BODY = new Uint8Array()

type ParseText = (text: string, basic: Basic | undefined) => Result.Result<Input, BadRequest>

const formInput: ParseText = (text, basic) =>
  Result.flatMap(formFields(text, REPEATABLE), (sent) => {
    const fields = withoutEmpty(sent)
    return Result.map(besides(fields, basic), (more) => ({ encoding: "text", fields: { ...fields, ...more } }))
  })

const jsonInput: ParseText = (text, basic) =>
  Result.flatMap(jsonFields(text), (sent): Result.Result<Input, BadRequest> => {
    if (!Predicate.isObject(sent)) return Result.succeed({ encoding: "body", fields: sent })
    const fields = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ""))
    return Result.map(besides(fields, basic), (more) => ({ encoding: "body", fields: { ...fields, ...more } }))
  })

/** What a form may say several times (RFC 8707 2), and nothing else (RFC 6749 3.2). */
const REPEATABLE = "resource"

/** A parameter without a value is as if it were not sent (RFC 6749 3.2); so is an empty text of JSON. */
const withoutEmpty = (fields: FormFields): FormFields =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => [name, typeof value === "string" ? value : value.filter((each) => each !== "")] as const)
      .filter(([, value]) => value.length > 0)
  )

interface Basic {
  readonly client_id: string
  /** Undefined: it is empty, as of a client that has none. */
  readonly client_secret: string | undefined
}

/** As whom HTTP Basic says a client calls; undefined: it says nothing of that. */
export const basicOf = (header: string | undefined): Result.Result<Basic | undefined, Unauthenticated> => {
  const given = /^Basic(?: +(.*))?$/i.exec(header?.trim() ?? "")
  if (given === null) return Result.succeed(undefined)
  const [, encoded = ""] = given
  const text = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? Buffer.from(encoded, "base64").toString("utf8") : ""
  const at = text.indexOf(":")
  if (at < 1) return Result.fail(notBasic)
  const [id, secret] = [formDecoded(text.slice(0, at)), formDecoded(text.slice(at + 1))]
  return Option.match(Option.all([id, secret]), {
    onNone: () => Result.fail(notBasic),
    onSome: ([client_id, client_secret]) =>
      Result.succeed({ client_id, client_secret: client_secret === "" ? undefined : client_secret })
  })
}

/** Both parts are encoded as in a form, before they are put together (RFC 6749 2.3.1). */
const formDecoded = (text: string): Option.Option<string> =>
  Result.getSuccess(
    Result.try({ try: () => decodeURIComponent(text.replaceAll("+", " ")), catch: () => "it is encoded wrongly" })
  )

/** What Basic adds to a body. A client says once who it is (RFC 6749 2.3); its id may stand in both, if it is the same. */
const besides = (
  fields: Readonly<Record<string, unknown>>,
  basic: Basic | undefined
): Result.Result<Readonly<Record<string, string>>, BadRequest> => {
  if (basic === undefined) return Result.succeed({})
  const { client_id, client_secret } = basic
  if (isGiven(fields["client_secret"])) return Result.fail(twice)
  if (isGiven(fields["client_id"]) && fields["client_id"] !== client_id) return Result.fail(another)
  return Result.succeed({ client_id, ...(client_secret === undefined ? {} : { client_secret }) })
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const invalidRequest = (message: string) => new BadRequest({ message, oauth: "invalid_request" })
/** Who cannot be read has not proved who it is (RFC 6749 5.2). */
const notBasic = new Unauthenticated({
  message: "Authorization: must be client_id and client_secret in the form of HTTP Basic.",
  oauth: "invalid_client"
})
const twice = invalidRequest("client_secret: must be in Authorization or in the body, not in both.")
const another = invalidRequest("client_id: must be the same in Authorization and in the body.")
