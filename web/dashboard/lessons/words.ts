/** Texts of the pages on which students work on lessons. */
export const lessonWords = {
  back: 'All lessons',
  activity: 'Activity',
  activityText: 'You do this outside the platform. Mark it as done when you have finished it.',
  start: 'Start',
  again: 'Start again',
  markDone: 'Mark as done',
  notSaved: 'Couldn’t save',
  inApp: 'This lesson opens in an app. Start it from the list of lessons.',
  withInstructor: 'Your instructor completes this lesson with you and records the result here.',
}
