import { ByteSize, Effect } from "effect"
import { type HttpServerRequest, MaxBodySize } from "effect/http/HttpServerRequest"

/** Large enough for a message of 20,000 emoji, which take 12 bytes each in a form. */
export const MAX_FORM_BYTES = 256 * 1024

/** Empty fields are omitted. */
export type SandboxForm = Readonly<Record<string, string | number | boolean>>

const NUMBER_FIELDS = new Set([
  "operator_id",
  "channel_account_id",
  "adults",
  "children",
  "rooms",
  "amount",
  "score",
  "ms",
  "base_price",
  "cleaning_fee",
  "commission",
  "tax"
])
const CHECKBOX_FIELDS = new Set(["instant"])
/** Fields that are not trimmed. Browsers send line breaks as CR LF, which are changed back to LF. */
const VERBATIM_FIELDS = new Set(["text"])

const parseField = (name: string, rawValue: string): string | number | boolean => {
  if (VERBATIM_FIELDS.has(name)) return rawValue.replaceAll("\r\n", "\n")
  const text = rawValue.trim()
  if (CHECKBOX_FIELDS.has(name)) return text === "1"
  return NUMBER_FIELDS.has(name) && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

/** Returns undefined if the body is not a form or is too large. */
export const readSandboxForm = (request: HttpServerRequest): Effect.Effect<SandboxForm | undefined> => {
  const type = request.headers["content-type"] ?? ""
  const isForm = /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)
  if (!isForm || Number(request.headers["content-length"] ?? 0) > MAX_FORM_BYTES) return Effect.succeed(undefined)
  return request.text.pipe(
    Effect.provideService(MaxBodySize, ByteSize.bytes(MAX_FORM_BYTES)),
    Effect.map((text) =>
      Object.fromEntries(
        Array.from(new URLSearchParams(text))
          .filter(([, value]) => value.trim() !== "")
          .map(([name, value]) => [name, parseField(name, value)])
      )
    ),
    Effect.catch(() => Effect.succeed(undefined))
  )
}
