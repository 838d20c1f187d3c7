/** A lesson of a student, whose content staff look at. */
export interface ReportTarget {
  readonly classId: string
  readonly studentId: string
  /** Name of the student. */
  readonly name: string
  readonly lessonId: string
  readonly lesson: string
  readonly mayGrade: boolean
}
