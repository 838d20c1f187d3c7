/** Texts of the pages on which students work on lessons. */
export const lessonWords = {
  back: 'All lessons',
  withInstructor: 'Your instructor completes this lesson with you and records the result here.',
}
