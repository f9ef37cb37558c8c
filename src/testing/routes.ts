import { request } from "node:http"
import type { ServerProcess } from "./server-process.ts"

/** The server rejected a request. */
export class LatchkeyTestError extends Error {
  /** The `error_code` of the response: 400, 404, 409, 422, or another code of the error table. */
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = "LatchkeyTestError"
    this.code = code
  }
}

interface Envelope<Data> {
  readonly error_code: number
  readonly error_msg: string
  readonly data: Data
}

/** An operator and its tokens, as the server returns them. */
export interface Access {
  readonly operator_id: number
  readonly token: string
  readonly read_only_token: string
}

/** Returns the `data` of the response. Without a `body` the method is GET, otherwise POST. */
export type CallRoute = <Data>(path: string, body?: object) => Promise<Data>

/** Longer than the longest move of the clock takes on a slow machine. */
const SILENCE_LIMIT_MS = 600_000

interface HttpResponse {
  readonly status: number
  readonly text: string
}

/** Uses `node:http`, because a test may replace `fetch`, and because fake timers can make `fetch` hang for a minute. */
const send = (url: string, body: object | undefined): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" }
    // A connection for each call, because the server may close an idle one at any moment.
    const call = { agent: false, timeout: SILENCE_LIMIT_MS }
    const outgoing = request(url, body === undefined ? call : { ...call, method: "POST", headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text })).on("error", reject)
    })
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no response within ${SILENCE_LIMIT_MS / 1000} seconds`)))
    outgoing.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body))
  })

const SUCCESS_STATUS = 200

/** The calls reject with a {@link LatchkeyTestError} if the server rejects them, and with an Error if it has ended. */
export const makeCallRoute =
  ({ url, describeUnreachable }: ServerProcess): CallRoute =>
  async <Data>(path: string, body?: object): Promise<Data> => {
    const { status, text } = await send(`${url}${path}`, body).catch(async (cause: unknown) => {
      throw new Error(await describeUnreachable(), { cause })
    })
    if (status !== SUCCESS_STATUS) throw new Error(`${path}: the test server responded with status ${status}.`)
    const envelope: Envelope<Data> = JSON.parse(text)
    if (envelope.error_code !== 0) throw new LatchkeyTestError(envelope.error_code, envelope.error_msg)
    return envelope.data
  }
