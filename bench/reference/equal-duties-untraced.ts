import { withDuties } from "./duties.ts"
import { settings } from "./settings.ts"

// Reference: the same as equal-duties.ts without its spans. A service that nobody gave a collector makes none for one
// either.

const app = await withDuties()

await app.listen({ port: settings.port, host: "127.0.0.1" })
