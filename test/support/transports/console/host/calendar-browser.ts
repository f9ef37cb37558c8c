import { Effect } from "effect"
import { openPage } from "../../../browser.ts"
import { BaseUrl } from "../../../http-server.ts"

/** Opens the calendar in a browser of the signed-in host. */
export const openCalendar = Effect.fnUntraced(function* (
  cookie: string,
  options: NonNullable<Parameters<typeof openPage>[0]>,
  query = ""
) {
  const base = yield* BaseUrl
  const page = yield* openPage(options)
  yield* Effect.promise(async () => {
    await page.context().addCookies([{ name: "latchkey", value: cookie, url: base }])
    await page.goto(`${base}/console/calendar${query}`)
  })
  return page
})
