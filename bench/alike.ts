import { isDeepStrictEqual } from "node:util"
import type { Server } from "./servers.ts"

const dataAt = async (server: Server, path: string, token: string): Promise<object> => {
  const response = await fetch(`${server.url}${path}`, { headers: { "service-access-token": token } })
  const { data } = (await response.json()) as { readonly data: object }
  const rows = Object.values(data).find(Array.isArray) ?? []
  if (rows.length === 0) throw new Error(`${server.name} found nothing at ${path}`)
  return data
}

/** Ratios mean something only while all servers answer the same: stops the bench when they do not. */
export const answerAlike = async (
  [first, ...others]: readonly [Server, ...ReadonlyArray<Server>],
  token: string,
  paths: ReadonlyArray<string>
) => {
  for (const path of paths) {
    const answer = await dataAt(first, path, token)
    for (const other of others) {
      if (!isDeepStrictEqual(await dataAt(other, path, token), answer)) {
        throw new Error(`${other.name} and ${first.name} answer ${path} differently`)
      }
    }
  }
}
