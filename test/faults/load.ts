import { spawn } from "node:child_process"
import { join } from "node:path"

// Load on a service from a process of its own, so that what is measured of the service is not the load's doing.

/** What is asked, again and again, in turn; each is a whole request. */
export interface LoadOrder {
  readonly base: string
  readonly requests: ReadonlyArray<string>
  readonly seconds: number
  /** A process whose processor time is taken while the load is on, and not while its connections are made. */
  readonly watched?: number | undefined
  /**
   * `closed`: so many callers, each of which waits for its answer before it calls again. `open`: so many calls a second
   * whatever becomes of those before them, over so many connections, which are there before it begins, as those of load
   * balancers are: Node takes one new connection each turn of its event loop, and that would be what is measured.
   */
  readonly arrival: { readonly closed: number } | { readonly open: number; readonly connections: number }
}

/** What became of it. Milliseconds are from the moment a call was due, so waiting to be sent is waited. */
export interface LoadFigures {
  readonly seconds: number
  readonly good: number
  /** Calls by error_code; -1: something that is no envelope. */
  readonly codes: Readonly<Record<string, number>>
  readonly refusedWithoutRetryAfter: number
  /** Connections that ended before their answer, and calls for which no connection was free. */
  readonly broken: number
  readonly notSent: number
  /** Of those that are still out when the time is over, nothing more is known. */
  readonly unanswered: number
  readonly goodMs: Spread
  readonly refusedMs: Spread
  /** The share of a core that the load itself took. */
  readonly ownShare: number
  /** Milliseconds of processor that the watched process took. */
  readonly watchedMs: number
}

export interface Spread {
  readonly p50: number
  readonly p99: number
  readonly most: number
}

const program = join(import.meta.dirname, "load-process.ts")

/** Puts it on, and answers what became of it when its time is over. */
export const load = (order: LoadOrder): Promise<LoadFigures> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] })
    let said = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
    child.once("error", reject)
    child.once("close", (status) => {
      if (status === 0) resolve(JSON.parse(said))
      else reject(new Error(`the load ended with status ${status}`))
    })
    child.stdin.end(JSON.stringify(order))
  })

/** A request as it goes on the wire. */
export const requestText = (
  base: string,
  token: string,
  { method, path, fields }: { readonly method: string; readonly path: string; readonly fields?: object }
): string => {
  const body = fields === undefined ? "" : JSON.stringify(fields)
  const length = fields === undefined ? "" : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: ${new URL(base).host}\r\nservice-access-token: ${token}\r\n${length}\r\n${body}`
}
