import type { Schema } from "effect"
import { customAlphabet } from "../platform/random-text.ts"
import { type ApiError, errorCode } from "./errors.ts"

/** Every answer of the service, REST and MCP alike (specification, Response envelope). HTTP status is always 200. */
export interface Envelope {
  readonly request_id: string
  /** 0 on success, else a row of the error table. */
  readonly error_code: number
  /** Empty on success. */
  readonly error_msg: string
  /** The operation's result. On failure an empty object, or with a 409 for a taken name the `id` of the record with that name. */
  readonly data: Schema.Json
}

/** An envelope and the headers that travel beside it (rate-limit fields). */
export interface ServiceResponse {
  readonly envelope: Envelope
  readonly headers: Readonly<Record<string, string>>
  /** What refused it, where it was refused: for a door that speaks another language beside the envelope's. */
  readonly error?: ApiError
}

const randomSuffix = customAlphabet("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 8)

/** `RT`, the UTC time in 14 digits, eight random letters and digits (contract facts 0.1). */
export const newRequestId = (now: number): string => {
  const iso = new Date(now).toISOString()
  const day = `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 10)}`
  return `RT${day}${iso.slice(11, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}${randomSuffix()}`
}

export const successEnvelope = (requestId: string, data: Schema.Json): Envelope => ({
  request_id: requestId,
  error_code: 0,
  error_msg: "",
  data
})

export const failureEnvelope = (requestId: string, error: ApiError): Envelope => ({
  request_id: requestId,
  error_code: errorCode(error),
  error_msg: error.message,
  data: error._tag === "Conflict" && typeof error.existingId === "number" ? { id: error.existingId } : {}
})
