export interface LeakRow {
  readonly id: string
}
