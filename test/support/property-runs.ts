/** Random inputs per property. `npm test` tries 200, and `npm run properties` sets `PROPERTY_RUNS` for a long run. */
export const PROPERTY_RUNS = Number(process.env.PROPERTY_RUNS ?? 200)
