import { hash } from "node:crypto"
import { pool } from "./settings.ts"

/** What a token stands for. */
export interface Known {
  readonly id: number
  readonly operatorId: number
  readonly scope: string
  readonly works: boolean
}

/** As long and as many as the service keeps them. */
const KEPT_MS = 3_000
const KEPT = 50_000

interface Kept {
  readonly until: number
  readonly known: Promise<Known | undefined>
}

const look = async (digest: string): Promise<Known | undefined> => {
  const { rows } = await pool.query<Known>({
    name: "token",
    text: `SELECT t.id, t.operator_id AS "operatorId", t.scope,
        t.revoked_at IS NULL AND o.status = 'active' AND coalesce(o.subscription_until > now(), true) AS works
      FROM access_tokens t JOIN operators o ON o.id = t.operator_id WHERE t.digest = $1`,
    values: [Buffer.from(digest, "hex")]
  })
  return rows[0]
}

/** Looks tokens up by their digest, and keeps what it found for a while; unknown ones are not kept. */
export const tokenLookUp = () => {
  const kept = new Map<string, Kept>()
  return (token: string): Promise<Known | undefined> => {
    const digest = hash("sha256", token, "hex")
    const now = Date.now()
    const found = kept.get(digest)
    if (found !== undefined && found.until > now) return found.known
    const known = look(digest).then((row) => {
      if (row === undefined) kept.delete(digest)
      return row
    })
    // A key that is set again goes to the end, so the first is the one that was looked up longest ago.
    kept.delete(digest)
    kept.set(digest, { until: now + KEPT_MS, known })
    const [oldest] = kept.keys()
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest)
    return known
  }
}
