import { plural } from '../../parts/words.ts'

/** Words for changing several students at once, by the status that they get. Only the roster loads them. */
export const bulkWords = {
  active: {
    go: (count: number) => `Reinstate ${count}`,
    title: (count: number) => `Reinstate ${plural(count, 'student')}?`,
    text: 'They can work in this class again. Everything they recorded is still there.',
    done: (count: number) => `${plural(count, 'student')} reinstated`,
  },
  suspended: {
    go: (count: number) => `Suspend ${count}`,
    title: (count: number) => `Suspend ${plural(count, 'student')}?`,
    text: 'They still see the class but cannot work in it until you reinstate them.',
    done: (count: number) => `${plural(count, 'student')} suspended`,
  },
  dropped: {
    go: (count: number) => `Drop ${count}`,
    title: (count: number) => `Drop ${plural(count, 'student')} from the class?`,
    text: 'They lose access to the class. Their records stay, and you can reinstate them.',
    done: (count: number) => `${plural(count, 'student')} dropped`,
  },
}
