/* The ABS of docs/controllers.md in C: the same operations in the same order. */
struct state {
    double period, speed, last[4], gains[4];
};

static double larger(double a, double b) { return b > a ? b : a; }
static double smaller(double a, double b) { return b < a ? b : a; }

void my_abs(void *context, double t, const double *in, double *out)
{
    struct state *s = context;
    double wheels[4], fastest;
    (void)t;
    for (int i = 0; i < 4; i++)
        wheels[i] = 0.32 * in[i];
    fastest = larger(larger(larger(wheels[0], wheels[1]), wheels[2]), wheels[3]);
    s->speed = larger(fastest, s->speed - 11.0 * s->period); /* no car brakes harder than 11 m/s2 */
    for (int i = 0; i < 4; i++) {
        double slip = 1 - wheels[i] / larger(s->speed, 1.0);
        slip += 0.02 * (s->last[i] - wheels[i]) / s->period / larger(s->speed, 1.0);
        double change = 3.0 * (1 - slip / 0.08);
        s->gains[i] += s->period * s->gains[i] * smaller(larger(change, -15.0), 3.0);
        s->gains[i] = smaller(larger(s->gains[i], 0.02), 1.0);
        s->last[i] = wheels[i];
    }
    for (int i = 0; i < 4; i++)
        out[i] = s->speed > 3.0 ? s->gains[i] : 1.0;
}
