/** Windows of one counter that nobody reaches. */
export const WIDE = { "1m": 1e9, "10m": 1e9, "1h": 1e9, "24h": 1e9 } as const

/** Windows of an operator, opened wide for all routes, for those that have limits of their own, and for refusals. */
export const wideWindows = (...routes: ReadonlyArray<string>) => ({
  user: WIDE,
  endpoint_error: { "1h": WIDE["1h"], "24h": WIDE["24h"] },
  endpoint: { "*": WIDE, ...Object.fromEntries(routes.map((route) => [route, WIDE])) }
})
