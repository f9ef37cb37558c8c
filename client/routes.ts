import { renderRouteTable } from "../src/transports/docs/client/route-table.ts"

/** A line an operation: its name, method, path, kind, and the list it pages through, if it does. Packed as a text. */
export const ROUTES: string = renderRouteTable()
